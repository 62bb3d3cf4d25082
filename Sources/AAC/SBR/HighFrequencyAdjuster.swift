/// Gives the generated subbands the levels that the layer says, and adds noise and sines.
///
/// Source: ISO/IEC 14496-3, 4.6.18.7.6.
final class HighFrequencyAdjuster {
  private typealias Table = HighFrequencyGains.Table

  private let table = HighFrequencyGains()
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
    if frame.isSought {
      // Where they would be without the seek, if that leads to the right packet: see `AACDecoder.seekInterval`.
      let slots = 32 * frame.signal.skippedFrames + 2 * frame.channel.grid.borders[0]
      (frame.signal.noisePosition, frame.signal.phase) = (slots * frame.bands.count & 511, slots & 3)
    }
    apply(frame)
  }

  private func apply(_ frame: SBRFrame) {
    let (signal, bands, grid) = (frame.signal, frame.bands, frame.channel.grid)
    let (first, end) = (2 * grid.borders[0], 2 * grid.end)
    for column in 0..<bands.count {
      let row = unsafe signal.high.row(bands.first + column)
      spread(frame, column)
      for envelope in 0..<grid.count {
        let slots = frame.slots(envelope)
        let index = envelope * HighFrequencyGains.columns + column
        let isTransient = frame.isTransient(envelope)
        let isSmooth = frame.header.isSmoothed && !isTransient
        let hasSine = table.sineLevel[index] != 0
        let position = signal.noisePosition + column + 1 + (slots.lowerBound - first) * bands.count
        unsafe scale(
          row, slots, by: (isSmooth ? smoothGains : gains).from(4 + slots.lowerBound - first),
          noise: hasSine || isTransient ? nil : (isSmooth ? smoothNoiseGains : noiseGains).from(4 + slots.lowerBound - first),
          position: position, step: bands.count)
        if hasSine {
          let isOdd = (bands.first + column) & 1 == 1
          unsafe addSine(row, slots, table.sineLevel[index], phase: signal.phase - first, isOdd: isOdd)
        }
      }
      keepGains(frame, column, count: end - first)
    }
    signal.noisePosition = (signal.noisePosition + (end - first) * bands.count) & 511
    signal.phase = (signal.phase + end - first) & 3
  }

  /// Writes a subband's gains slot by slot, after the last four of the frame before, and smoothed.
  private func spread(_ frame: SBRFrame, _ column: Int) {
    let (signal, grid) = (frame.signal, frame.channel.grid)
    for slot in 0..<4 {
      gains[slot] = frame.isReset ? table.gain[column] : signal.lastGains[4 * column + slot]
      noiseGains[slot] = frame.isReset ? table.noiseGain[column] : signal.lastNoiseGains[4 * column + slot]
    }
    let first = 2 * grid.borders[0]
    for envelope in 0..<grid.count {
      let (slots, index) = (frame.slots(envelope), envelope * HighFrequencyGains.columns + column)
      gains.from(4 + slots.lowerBound - first).update(repeating: table.gain[index], count: slots.count)
      noiseGains.from(4 + slots.lowerBound - first).update(repeating: table.noiseGain[index], count: slots.count)
    }
    guard frame.header.isSmoothed else { return }
    smooth(gains, to: smoothGains, count: 2 * grid.end - first)
    smooth(noiseGains, to: smoothNoiseGains, count: 2 * grid.end - first)
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

  private func keepGains(_ frame: SBRFrame, _ column: Int, count: Int) {
    frame.signal.lastGains.from(4 * column).update(from: gains.from(count), count: 4)
    frame.signal.lastNoiseGains.from(4 * column).update(from: noiseGains.from(count), count: 4)
  }

  /// Multiplies slots, an even number of them, which exist, by gains, and adds noise by others: from one slot to the next,
  /// the noise table's position moves on by all subbands.
  private func scale(
    _ row: SubbandRow, _ slots: Range<Int>, by gains: MemoryPart<Float>, noise: MemoryPart<Float>?, position: Int,
    step: Int
  ) {
    let gains = unsafe gains.pointer(count: slots.count) - slots.lowerBound
    let levels = unsafe noise.map { unsafe $0.pointer(count: slots.count) - slots.lowerBound }
    var (slot, position) = (slots.lowerBound, position)
    while slot + 4 <= slots.upperBound {
      let gain = unsafe gains.vector(slot)
      var (real, imaginary) = unsafe (row.real.vector(slot) * gain, row.imaginary.vector(slot) * gain)
      if let levels = unsafe levels {
        let noise = SBRNoise.four(position, step: step)
        let level = unsafe levels.vector(slot)
        real += level * noise.real
        imaginary += level * noise.imaginary
      }
      unsafe row.real.store(real, slot)
      unsafe row.imaginary.store(imaginary, slot)
      (slot, position) = (slot + 4, position + 4 * step)
    }
    while slot < slots.upperBound {
      unsafe row.real[slot] *= gains[slot]
      unsafe row.imaginary[slot] *= gains[slot]
      if let levels = unsafe levels {
        let noise = SBRNoise.table[position]
        unsafe row.real[slot] += levels[slot] * noise.x
        unsafe row.imaginary[slot] += levels[slot] * noise.y
      }
      (slot, position) = (slot + 1, position + step)
    }
  }

  /// Adds a sine: a quarter turn a slot, backwards in odd subbands.
  private func addSine(_ row: SubbandRow, _ slots: Range<Int>, _ level: Float, phase: Int, isOdd: Bool) {
    for slot in slots {
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
  let isSought: Bool

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

  /// Four entries, `step` positions apart.
  @inline(__always)
  static func four(_ position: Int, step: Int) -> (real: SIMD4<Float>, imaginary: SIMD4<Float>) {
    let (a, b) = (table[position].words, table[position + step].words)
    let (c, d) = (table[position + 2 * step].words, table[position + 3 * step].words)
    return (
      SIMD4(SIMD4<UInt32>(a.x, b.x, c.x, d.x)), SIMD4(SIMD4<UInt32>(a.y, b.y, c.y, d.y))
    )
  }
}
