/// Gives the generated subbands the levels that the layer says, and adds noise and sines.
///
/// Source: ISO/IEC 14496-3, 4.6.18.7.6.
final class HighFrequencyAdjuster {
  private typealias Table = HighFrequencyGains.Table

  private let table = HighFrequencyGains()
  private let noise = SBRNoise.table
  /// Gains of one subband by slot, with four slots of the frame before, and smoothed.
  private let gains = Table(48)
  private let noiseGains = Table(48)
  private let smoothGains = Table(48)
  private let smoothNoiseGains = Table(48)

  /// Weights of a gain and the four before it.
  private static let smoothing: [Float] = [
    0.333_333_333_333_33, 0.301_502_832_395_82, 0.218_169_499_062_49, 0.115_163_834_270_84, 0.031_830_500_937_51,
  ]

  /// Adjusts a frame in place.
  func adjust(_ frame: SBRFrame) {
    table.compute(frame)
    if frame.isReset { frame.signal.noisePosition = 0 }
    if frame.isAfterSeek {
      // Where they would be without the seek, if that leads to the right packet: see `AACDecoder.seekInterval`.
      let slots = 32 * frame.signal.skippedFrames + 2 * frame.channel.grid.borders[0]
      (frame.signal.noisePosition, frame.signal.phase) = (slots * frame.bands.count & 511, slots & 3)
    }
    apply(frame)
  }

  private func apply(_ frame: SBRFrame) {
    let (signal, bands, grid) = (frame.signal, frame.bands, frame.channel.grid)
    let (first, count) = (2 * grid.borders[0], 2 * (grid.end - grid.borders[0]))
    for column in 0..<bands.count {
      if frame.header.isSmoothed { spread(frame, column) }
      for envelope in 0..<grid.count {
        let slots = frame.slots(envelope)
        let index = envelope * HighFrequencyGains.columns + column
        let isTransient = frame.isTransient(envelope)
        let row = unsafe signal.high.row(bands.first + column).advanced(by: slots.lowerBound)
        let start = 4 + slots.lowerBound - first
        let position = signal.noisePosition + column + 1 + (slots.lowerBound - first) * bands.count
        let hasNoise = !isTransient && table.sineLevel[index] == 0
        if frame.header.isSmoothed && !isTransient {
          let gain = unsafe smoothGains.pointer(at: start, count: slots.count)
          let level = unsafe smoothNoiseGains.pointer(at: start, count: slots.count)
          unsafe HighFrequencyAdjuster.scale(row, slots.count) { unsafe gain.vector($0) }
          if hasNoise { unsafe addNoise(row, slots.count, position, step: bands.count) { unsafe level.vector($0) } }
        } else {
          let (gain, level) = (SIMD4(repeating: table.gain[index]), SIMD4(repeating: table.noiseGain[index]))
          unsafe HighFrequencyAdjuster.scale(row, slots.count) { _ in gain }
          if hasNoise { unsafe addNoise(row, slots.count, position, step: bands.count) { _ in level } }
        }
        if table.sineLevel[index] != 0 {
          let isOdd = (bands.first + column) & 1 == 1
          let phase = signal.phase + slots.lowerBound - first
          unsafe addSine(row, slots.count, table.sineLevel[index], phase: phase, isOdd: isOdd)
        }
      }
    }
    keepGains(frame)
    signal.noisePosition = (signal.noisePosition + count * bands.count) & 511
    signal.phase = (signal.phase + count) & 3
  }

  /// Writes a subband's gains slot by slot, after the last four of the frame before, and smoothed.
  private func spread(_ frame: SBRFrame, _ column: Int) {
    let (signal, grid) = (frame.signal, frame.channel.grid)
    let gains = unsafe gains.pointer(at: 0, count: 48)
    let noiseGains = unsafe noiseGains.pointer(at: 0, count: 48)
    for slot in 0..<4 {
      unsafe gains[slot] = frame.isReset ? table.gain[column] : signal.lastGains[4 * column + slot]
      unsafe noiseGains[slot] = frame.isReset ? table.noiseGain[column] : signal.lastNoiseGains[4 * column + slot]
    }
    let first = 2 * grid.borders[0]
    for envelope in 0..<grid.count {
      let (slots, index) = (frame.slots(envelope), envelope * HighFrequencyGains.columns + column)
      let gain = SIMD4(repeating: table.gain[index])
      let noiseGain = SIMD4(repeating: table.noiseGain[index])
      // Four at a time: the next envelope, or nobody, takes what is too much.
      for slot in stride(from: 4 + slots.lowerBound - first, to: 4 + slots.upperBound - first, by: 4) {
        unsafe gains.store(gain, slot)
        unsafe noiseGains.store(noiseGain, slot)
      }
    }
    guard frame.header.isSmoothed else { return }
    smooth(self.gains, to: smoothGains, count: 2 * grid.end - first)
    smooth(self.noiseGains, to: smoothNoiseGains, count: 2 * grid.end - first)
  }

  /// The average of each slot's gain and the four before it.
  private func smooth(_ source: Table, to target: Table, count: Int) {
    let weights = HighFrequencyAdjuster.smoothing
    let (from, to) = unsafe (source.pointer(at: 0, count: 48), target.pointer(at: 0, count: 48))
    for slot in stride(from: 4, to: 4 + count, by: 4) {
      var sum = unsafe from.vector(slot) * weights[0]
      for age in 1...4 { unsafe sum += from.vector(slot - age) * weights[age] }
      unsafe to.store(sum, slot)
    }
  }

  /// Keeps the gains of the last four slots.
  private func keepGains(_ frame: SBRFrame) {
    let (signal, grid) = (frame.signal, frame.channel.grid)
    var envelope = grid.count - 1
    for slot in (0..<4).reversed() {
      if envelope > 0, 2 * grid.end - 4 + slot < frame.slots(envelope).lowerBound { envelope -= 1 }
      let row = envelope * HighFrequencyGains.columns
      for column in 0..<frame.bands.count {
        signal.lastGains[4 * column + slot] = table.gain[row + column]
        signal.lastNoiseGains[4 * column + slot] = table.noiseGain[row + column]
      }
    }
  }

  /// Multiplies the first slots of a row, an even number of them, which exist, by gains that come four slots at a time;
  /// the last two may lie beyond the end and are ignored.
  @inline(__always)
  private static func scale(_ row: SubbandRow, _ count: Int, by gains: (Int) -> SIMD4<Float>) {
    for slot in stride(from: 0, to: count & ~3, by: 4) {
      let gain = gains(slot)
      unsafe row.real.store(row.real.vector(slot) * gain, slot)
      unsafe row.imaginary.store(row.imaginary.vector(slot) * gain, slot)
    }
    guard count & 2 != 0 else { return }
    let (slot, gain) = (count & ~3, gains(count & ~3))
    for part in 0..<2 {
      unsafe row.real[slot + part] *= gain[part]
      unsafe row.imaginary[slot + part] *= gain[part]
    }
  }

  /// Adds noise: from one slot to the next, the table's position moves on by all subbands.
  @inline(__always)
  private func addNoise(
    _ row: SubbandRow, _ count: Int, _ position: Int, step: Int, by gains: (Int) -> SIMD4<Float>
  ) {
    let table = noise
    for slot in stride(from: 0, to: count & ~3, by: 4) {
      let first = position &+ slot &* step
      let (a, b) = (table[first].words, table[first &+ step].words)
      let (c, d) = (table[first &+ 2 &* step].words, table[first &+ 3 &* step].words)
      let gain = gains(slot)
      let (real, imaginary) = (SIMD4<UInt32>(a.x, b.x, c.x, d.x), SIMD4<UInt32>(a.y, b.y, c.y, d.y))
      unsafe row.real.store(row.real.vector(slot) + gain * SIMD4(real), slot)
      unsafe row.imaginary.store(row.imaginary.vector(slot) + gain * SIMD4(imaginary), slot)
    }
    guard count & 2 != 0 else { return }
    let (slot, gain) = (count & ~3, gains(count & ~3))
    for part in 0..<2 {
      let noise = table[position &+ (slot + part) &* step]
      unsafe row.real[slot + part] += gain[part] * noise.x
      unsafe row.imaginary[slot + part] += gain[part] * noise.y
    }
  }

  /// Adds a sine: a quarter turn a slot, backwards in odd subbands.
  private func addSine(_ row: SubbandRow, _ count: Int, _ level: Float, phase: Int, isOdd: Bool) {
    for slot in 0..<count {
      switch (phase + slot) & 3 {
      case 0: unsafe row.real[slot] += level
      case 1: unsafe row.imaginary[slot] += isOdd ? -level : level
      case 2: unsafe row.real[slot] -= level
      default: unsafe row.imaginary[slot] -= isOdd ? -level : level
      }
    }
  }
}

/// One frame of a channel with an SBR layer.
struct SBRFrame {
  let signal: SBRSignal
  let channel: SBRChannel
  let levels: SBRLevels
  let bands: SBRBands
  let header: SBRHeader
  let isReset: Bool
  /// Whether it is the first one after a seek.
  let isAfterSeek: Bool

  /// Whether an envelope has an attack: neither noise nor smoothing.
  func isTransient(_ envelope: Int) -> Bool {
    envelope == channel.grid.transient || envelope == 0 && channel.beginsWithTransient
  }

  /// The slots of an envelope.
  func slots(_ envelope: Int) -> Range<Int> {
    2 * channel.grid.borders[envelope]..<2 * channel.grid.borders[envelope + 1]
  }
}

/// The noise that SBR adds.
enum SBRNoise {
  /// By position, modulo 512.
  static let table = LookupTable<9, SIMD2<Float>>(
    zip(SBRConstants.noiseReal, SBRConstants.noiseImaginary).map { SIMD2($0, $1) })
}
