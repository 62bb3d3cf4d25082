#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Temporal noise shaping (TNS): lets the noise of a long window rise and fall with the sound.
///
/// What prediction over time does to a spectrum, prediction across lines does to time: the prediction error is
/// quantised, and the decoder's inverse filter gives the noise the envelope of the sound. It pays if a window holds the
/// pulses of a voice, or an attack that does not justify short windows; the gain of the prediction tells.
///
/// Source: ISO/IEC 14496-3, 4.6.9.
final class TemporalNoiseShaper {
  /// A filter in the form that is sent.
  struct Filter {
    /// The highest bands of the window, which it does not cover; 0 if none of them is coded.
    var above: Int
    /// Bands that it covers, counted down from there.
    var length: Int
    /// Reflection coefficients in 4 bits each, as indices from -8 to 7.
    var indices: [Int]
    /// The factor by which the decoder's filter raises the energy of noise.
    var gain: Float

    /// Bits of a filter: count, resolution, length and order of one that does nothing, length, order, direction,
    /// compression, coefficients.
    var bits: Int { 2 + 1 + (above > 0 ? 6 + 5 : 0) + 6 + 5 + 1 + 1 + 4 * indices.count }
  }

  /// The start of its range in Hz: below, lines are too few for the pulses of a voice.
  private static let lowestFrequency = 1200
  private static let order = 10
  /// Energy of a band, in 16-bit units, up to which it is left out: made as loud as the others, it would count as much.
  private static let silentEnergy: Float = 1000
  /// The factor of the energy that is predicted, as if there were white noise 40 dB below the sound. Without it,
  /// rounding could make the recursion unstable.
  private static let whitening: Float = 1.0001

  /// The lines that are filtered.
  let range: Range<Int>
  /// Bands up to the highest one that is usually coded.
  let usual: Int
  /// Those of them that are filtered, and those above.
  private let (length, above): (Int, Int)
  private let bandEdges: [Int]
  private let demands: Demands
  private let flattened = AlignedMemory<Float>(1024)
  /// `2^-k` at `k`, and at `1024 - k`.
  private let falls = AlignedMemory<Float>(1024)
  private let rises = AlignedMemory<Float>(1024)
  /// The factor of each band, and how much larger that after it is.
  private var levels: [(Float, Float)]
  private let errors = AlignedMemory<Float>(1024)

  /// What a filter must do to be used.
  private struct Demands {
    /// The gain of the prediction: one that gains less is not worth its bits.
    let gain: Float
    /// How similar its envelope must be to the sound's: 1 is the same, 0 has nothing in common with it.
    let likeness: Float

    /// The lower the rate, the longer a window lasts: at 24 kHz 85 ms, which hold several pulses of a voice. Noise that
    /// is spread over all of that is heard even if the filter follows the sound only roughly.
    init(sampleRate: Int) { (gain, likeness) = sampleRate < 40_000 ? (1.2, 0) : (1.6, 0.9) }
  }

  init(bands: ScalefactorBands, used: Int, sampleRate: Int) {
    demands = Demands(sampleRate: sampleRate)
    let first = bands.offsets.firstIndex { Int($0) * sampleRate >= TemporalNoiseShaper.lowestFrequency * 2048 } ?? 0
    let index = SamplingFrequency.tableIndex(of: UInt32(sampleRate))
    let end = min(used, NoiseShaping.maximumLongBands[index])
    (usual, length, above) = (used, used - first, bands.count - used)
    bandEdges = first < end ? bands.offsets[first...end].map(Int.init) : []
    range = first < end ? Int(bands.offsets[first])..<Int(bands.offsets[end]) : 0..<0
    levels = [(Float, Float)](repeating: (0, 0), count: bandEdges.count)
    for index in 0..<1024 {
      falls[index] = exp2f(-Float(index))
      rises[index] = exp2f(Float(index - 1024))
    }
  }

  /// The filter for the lines of one or two channels, if it gains enough: one for both, so that their sum and
  /// difference stay what they are.
  ///
  /// - Parameter bandCount: bands of the frame that may be coded. Those above the usual ones hold tones, with nothing
  ///   between them: a filter would fill that.
  func filter(
    _ channels: [AlignedMemory<Float>], blockEnergies: [AlignedMemory<Float>], bandCount: Int
  ) -> Filter? {
    guard range.count >= 64, let envelope = TemporalNoiseShaper.Envelope(blockEnergies) else { return nil }
    var correlation = [Float](repeating: 0, count: TemporalNoiseShaper.order + 1)
    for lines in channels { correlate(lines, into: &correlation) }
    guard correlation[0] > 0 else { return nil }
    correlation[0] *= TemporalNoiseShaper.whitening
    guard let reflections = TemporalNoiseShaper.reflections(correlation, leastGain: demands.gain) else { return nil }
    var indices = reflections.map(TemporalNoiseShaper.index)
    while indices.last == 0 { indices.removeLast() }
    guard !indices.isEmpty else { return nil }
    let gain = indices.reduce(Float(1)) {
      let k = Float(NoiseShaping.reflection($1, resolution: 4))
      return $0 / (1 - k * k)
    }
    let uncovered = bandCount > usual ? above : 0
    let filter = Filter(above: uncovered, length: length + above - uncovered, indices: indices, gain: gain)
    return TemporalNoiseShaper.likeness(filter, envelope) > demands.likeness ? filter : nil
  }

  /// How well noise that the filter shapes would follow the sound: the correlation of both envelopes.
  ///
  /// Neighbouring lines predict each other where the sound comes in pulses, but also where it is a tone whose energy
  /// leaks into them; then the sound does not have the filter's envelope. At a time in the middle of the window, the
  /// envelope is the filter's response at the frequency to which the transform folds that time.
  private static func likeness(_ filter: Filter, _ envelope: Envelope) -> Float {
    let factors = TemporalNoiseShaper.factors(filter)
    let shape = (0..<8).map { block in
      let angle = Float.pi * (1 - (Float(block) + 0.5) / 8)
      var (x, y): (Float, Float) = (0, 0)
      for (lag, factor) in factors.enumerated() {
        x += factor * cosf(angle * Float(lag))
        y += factor * sinf(angle * Float(lag))
      }
      return -logf(x * x + y * y + 1e-9)
    }
    let mean = shape.reduce(0, +) / 8
    var (both, square): (Float, Float) = (0, 0)
    for (x, y) in zip(envelope.levels, shape) {
      both += x * (y - mean)
      square += (y - mean) * (y - mean)
    }
    return square > 0 ? both / (envelope.square * square).squareRoot() : 0
  }

  /// How the energy of the sound rises and falls in the middle of a window: logarithms of eighths, less their mean.
  private struct Envelope {
    let levels: [Float]
    /// The sum of their squares.
    let square: Float

    /// - Returns: `nil` if it varies too little for noise to be shaped.
    init?(_ blockEnergies: [AlignedMemory<Float>]) {
      let sound = (0..<8).map { block in logf(blockEnergies.reduce(Float(1)) { $0 + $1[block] }) }
      let mean = sound.reduce(0, +) / 8
      levels = sound.map { $0 - mean }
      square = levels.reduce(0) { $0 + $1 * $1 }
      guard square > 8 * leastSwing * leastSwing else { return nil }
    }
  }

  /// How much the sound's envelope must vary, as a standard deviation of logarithms.
  private static let leastSwing: Float = 0.3

  /// Adds the correlations of a channel's lines with their neighbours, with all bands made equally loud.
  ///
  /// All lines are in `range`, and so in memory: a line and the earlier one that it is multiplied with.
  private func correlate(_ lines: AlignedMemory<Float>, into correlation: inout [Float]) {
    flatten(lines)
    let (flattened, from, end) = unsafe (flattened.start, range.lowerBound, range.upperBound)
    for lag in correlation.indices {
      let earlier = unsafe flattened - lag
      var (sum0, sum1, sum2, sum3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      var (sum4, sum5, sum6, sum7): (Float, Float, Float, Float) = (0, 0, 0, 0)
      var line = from + lag
      while line &+ 8 <= end {
        unsafe sum0 += flattened[line] * earlier[line]
        unsafe sum1 += flattened[line &+ 1] * earlier[line &+ 1]
        unsafe sum2 += flattened[line &+ 2] * earlier[line &+ 2]
        unsafe sum3 += flattened[line &+ 3] * earlier[line &+ 3]
        unsafe sum4 += flattened[line &+ 4] * earlier[line &+ 4]
        unsafe sum5 += flattened[line &+ 5] * earlier[line &+ 5]
        unsafe sum6 += flattened[line &+ 6] * earlier[line &+ 6]
        unsafe sum7 += flattened[line &+ 7] * earlier[line &+ 7]
        line &+= 8
      }
      var total = sum0 + sum1 + sum2 + sum3
      total = total + sum4 + sum5 + sum6 + sum7
      while line < end {
        unsafe total += flattened[line] * flattened[line &- lag]
        line &+= 1
      }
      correlation[lag] += total
    }
  }

  /// Makes all bands equally loud, with no steps between them: each line's factor is smoothed by half of the one after,
  /// and then by half of the one before.
  ///
  /// In a band whose factor is constant, the first leaves a part that doubles from line to line, the second another
  /// that halves, so that no line has to wait for its neighbour. The bands together are `range`, whose lines are in
  /// memory.
  private func flatten(_ lines: AlignedMemory<Float>) {
    var (after, index): (Float, Int) = (0, bandEdges.count - 2)
    while index >= 0 {
      let (low, high) = (bandEdges[index], bandEdges[index + 1])
      let factor = TemporalNoiseShaper.factor(energy: lines.from(low).energy(count: high - low), count: high - low)
      if index == bandEdges.count - 2 { after = factor }
      levels[index] = (factor, after - factor)
      after = factor + (after - factor) * falls[high - low]
      index -= 1
    }
    // As if the first line had one like it before.
    var before = after
    for (index, (low, high)) in zip(bandEdges, bandEdges.dropFirst()).enumerated() {
      let (factor, step) = levels[index]
      let doubling = step * (2 / 3)
      let halving = before - factor - doubling * falls[high - low + 1]
      unsafe flatten(lines.start, low, high, factor, doubling, halving)
      before = factor + doubling * falls[1] + halving * falls[high - low]
    }
  }

  /// The lines of a band, times `factor`, and a part of it that doubles up to its end and one that halves from its
  /// start.
  @inline(__always)
  private func flatten(
    _ lines: UnsafePointer<Float>, _ low: Int, _ high: Int, _ factor: Float, _ doubling: Float, _ halving: Float
  ) {
    let count = high - low
    let (rises, falls) = unsafe (rises.pointer(at: 1024 - count, count: count), falls.pointer(at: 1, count: count))
    let (lines, flattened) = unsafe (lines + low, flattened.pointer(at: low, count: count))
    var line = 0
    while line < count {
      unsafe flattened[line] = lines[line] * (factor + doubling * rises[line] + halving * falls[line])
      line &+= 1
    }
  }

  private static func factor(energy: Float, count: Int) -> Float {
    energy > silentEnergy ? (Float(count) / energy).squareRoot() : 0
  }

  /// Levinson's recursion; `nil` if the prediction gains too little.
  private static func reflections(_ correlation: [Float], leastGain: Float) -> [Float]? {
    var error = correlation[0]
    var filter: [Float] = [1]
    var reflections: [Float] = []
    for order in 1..<correlation.count {
      var sum: Float = 0
      for (tap, factor) in filter.enumerated() { sum += factor * correlation[order - tap] }
      let reflection = -sum / error
      guard abs(reflection) < 1 else { return nil }
      reflections.append(reflection)
      let longer = filter + [0]
      filter = longer.indices.map { longer[$0] + reflection * longer[order - $0] }
      error *= 1 - reflection * reflection
    }
    return correlation[0] / error > leastGain ? reflections : nil
  }

  /// The nearest coefficient of 4 bits.
  private static func index(_ reflection: Float) -> Int {
    let scale: Float = reflection >= 0 ? 7.5 : 8.5
    return Int((asinf(reflection) * scale * 2 / .pi).rounded())
  }

  /// Replaces lines by their prediction error, a sum over lines from the start of the range on.
  func apply(_ filter: Filter, to lines: AlignedMemory<Float>) {
    let factors = TemporalNoiseShaper.factors(filter)
    let (source, errors) = unsafe (lines.pointer(at: 0, count: range.upperBound), errors.start)
    unsafe factors.withUnsafeBufferPointer { factors in
      var line = range.lowerBound
      while line < range.upperBound {
        let count = min(factors.count, line - range.lowerBound + 1)
        var (sum, lag): (Float, Int) = (0, 0)
        while lag < count {
          unsafe sum += factors[lag] * source[line &- lag]
          lag &+= 1
        }
        unsafe errors[line] = sum
        line &+= 1
      }
    }
    lines.from(range.lowerBound).update(from: self.errors.from(range.lowerBound), count: range.count)
  }

  /// The prediction's factors, from the reflection coefficients.
  private static func factors(_ filter: Filter) -> [Float] {
    var factors: [Float] = [1]
    for index in filter.indices {
      let k = Float(NoiseShaping.reflection(index, resolution: 4))
      let longer = factors + [0]
      factors = longer.indices.map { longer[$0] + k * longer[longer.count - 1 - $0] }
    }
    return factors
  }
}
