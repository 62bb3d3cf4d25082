/// Gives the generated subbands the levels that the layer says, and adds noise and sines.
///
/// For each envelope and subband there are four numbers: the gain of the sound, the levels of noise and of a sine, and
/// before these, the energies that are and should be. Tables have a row of `SBRBands.subbands` for each envelope, and
/// columns are subbands counted from the first one that SBR makes.
///
/// Source: ISO/IEC 14496-3, 4.6.18.7.
final class HighFrequencyAdjuster {
  private typealias Table = AlignedMemory<Float>
  private static let columns = SBRBands.subbands

  /// The energy that each subband should have, and has.
  private let wanted = Table(SBRTimeGrid.maximum * columns)
  private let actual = Table(SBRTimeGrid.maximum * columns)
  /// Noise relative to the sound.
  private let noiseRatio = Table(SBRTimeGrid.maximum * columns)
  /// 1 where a subband has a sine, otherwise 0; and where its band has one.
  private let sine = Table(SBRTimeGrid.maximum * columns)
  private let bandHasSine = Table(SBRTimeGrid.maximum * columns)
  private let gain = Table(SBRTimeGrid.maximum * columns)
  private let noiseGain = Table(SBRTimeGrid.maximum * columns)
  private let sineLevel = Table(SBRTimeGrid.maximum * columns)
  /// Gains of one subband by slot, with four slots of the frame before, and smoothed.
  private let gains = Table(48)
  private let noiseGains = Table(48)
  private let smoothGains = Table(48)
  private let smoothNoiseGains = Table(48)

  /// Weights of a gain and the four before it: 4.6.18.7.6.
  private static let smoothing: [Float] = [
    0.333_333_333_333_33, 0.301_502_832_395_82, 0.218_169_499_062_49, 0.115_163_834_270_84, 0.031_830_500_937_51,
  ]
  /// How far a gain may exceed its band's average, by `bs_limiter_gains`.
  private static let limits: [Float] = [0.70795, 1, 1.41254, 1e10]
  private static let largestGain: Float = 1e5
  private static let largestBoost: Float = 1.584_893_192

  /// A frame to adjust.
  struct Frame {
    let signal: SBRSignal
    let channel: SBRChannel
    let levels: SBRLevels
    let bands: SBRBands
    let header: SBRHeader
    let isReset: Bool

    /// Whether an envelope has an attack: neither noise nor smoothing.
    func isTransient(_ envelope: Int) -> Bool {
      envelope == channel.grid.transient || envelope == 0 && channel.beginsWithTransient
    }

    /// The slots of an envelope.
    func slots(_ envelope: Int) -> Range<Int> {
      2 * channel.grid.borders[envelope]..<2 * channel.grid.borders[envelope + 1]
    }
  }

  /// Adjusts a frame in place.
  func adjust(_ frame: Frame) {
    for envelope in 0..<frame.channel.grid.count {
      map(frame, envelope)
      measure(frame, envelope)
    }
    keepSines(frame)
    for envelope in 0..<frame.channel.grid.count { computeGains(frame, envelope) }
    if frame.isReset { frame.signal.noisePosition = 0 }
    apply(frame)
  }

  // MARK: Mapping: 4.6.18.7.2

  /// Spreads the values of bands over their subbands.
  private func map(_ frame: Frame, _ envelope: Int) {
    let (bands, channel, row) = (frame.bands, frame.channel, envelope * HighFrequencyAdjuster.columns)
    let isHigh = channel.grid.isHigh[envelope]
    let borders = bands.bands(isHigh: isHigh)
    let isSecond = channel.grid.noiseCount > 1 && channel.grid.borders[envelope] >= channel.grid.noiseBorders[1]
    for band in 0..<(borders.count - 1) {
      let energy = frame.levels.energies[envelope * SBRChannel.room + band]
      for subband in borders[band]..<borders[band + 1] { wanted[row + subband - bands.first] = energy }
    }
    for band in 0..<(bands.noise.count - 1) {
      let ratio = frame.levels.noise[(isSecond ? SBRChannel.noiseRoom : 0) + band]
      for subband in bands.noise[band]..<bands.noise[band + 1] { noiseRatio[row + subband - bands.first] = ratio }
    }
    mapSines(frame, envelope)
    for band in 0..<(borders.count - 1) {
      let range = borders[band] - bands.first..<borders[band + 1] - bands.first
      let hasSine: Float = range.contains { sine[row + $0] != 0 } ? 1 : 0
      for column in range { bandHasSine[row + column] = hasSine }
    }
  }

  /// A sine is in the middle of its band; a new one begins with the attack, if there is one.
  private func mapSines(_ frame: Frame, _ envelope: Int) {
    let (bands, channel, row) = (frame.bands, frame.channel, envelope * HighFrequencyAdjuster.columns)
    sine.from(row).update(repeating: 0, count: HighFrequencyAdjuster.columns)
    for (band, hasSine) in channel.harmonics.enumerated() where hasSine && band < bands.high.count - 1 {
      let column = (bands.high[band] + bands.high[band + 1]) / 2 - bands.first
      if envelope >= channel.grid.transient ?? 0 || frame.signal.sines[column] { sine[row + column] = 1 }
    }
  }

  private func keepSines(_ frame: Frame) {
    let row = (frame.channel.grid.count - 1) * HighFrequencyAdjuster.columns
    for column in 0..<HighFrequencyAdjuster.columns { frame.signal.sines[column] = sine[row + column] != 0 }
  }

  // MARK: Energies: 4.6.18.7.3

  private func measure(_ frame: Frame, _ envelope: Int) {
    let (bands, slots, row) = (frame.bands, frame.slots(envelope), envelope * HighFrequencyAdjuster.columns)
    let scale = 1 / Float(slots.count)
    for column in 0..<bands.count {
      actual[row + column] = unsafe energy(frame.signal.high.row(bands.first + column), slots) * scale
    }
    guard !frame.header.isInterpolated else { return }
    let borders = bands.bands(isHigh: frame.channel.grid.isHigh[envelope])
    for band in 0..<(borders.count - 1) {
      let range = borders[band] - bands.first..<borders[band + 1] - bands.first
      let mean = range.reduce(0) { $0 + actual[row + $1] } / Float(range.count)
      for column in range { actual[row + column] = mean }
    }
  }

  /// The squares of a row's slots, which exist: an even number of them.
  private func energy(_ row: SubbandRow, _ slots: Range<Int>) -> Float {
    var (sum, slot) = (SIMD4<Float>.zero, slots.lowerBound)
    while slot + 4 <= slots.upperBound {
      let (r, i) = unsafe (row.real.vector(slot), row.imaginary.vector(slot))
      sum += r * r + i * i
      slot += 4
    }
    var total = sum.total
    while slot < slots.upperBound {
      unsafe total += row.real[slot] * row.real[slot] + row.imaginary[slot] * row.imaginary[slot]
      slot += 1
    }
    return total
  }

  // MARK: Gains: 4.6.18.7.4 and 4.6.18.7.5

  private func computeGains(_ frame: Frame, _ envelope: Int) {
    let row = envelope * HighFrequencyAdjuster.columns
    let hasNoise = !frame.isTransient(envelope)
    let borders = frame.bands.limiter
    for column in 0..<frame.bands.count {
      let index = row + column
      let (energy, ratio) = (wanted[index], noiseRatio[index])
      let base = energy / (1 + ratio)
      noiseGain[index] = (base * ratio).squareRoot()
      sineLevel[index] = sine[index] == 0 ? 0 : base.squareRoot()
      let part = bandHasSine[index] != 0 ? ratio / (1 + ratio) : hasNoise ? 1 / (1 + ratio) : 1
      gain[index] = (energy * part / (1 + actual[index])).squareRoot()
    }
    for band in 0..<(borders.count - 1) {
      let range = row + borders[band] - frame.bands.first..<row + borders[band + 1] - frame.bands.first
      limit(range, to: HighFrequencyAdjuster.limits[frame.header.limiterGain])
      boost(range, hasNoise: hasNoise)
    }
  }

  /// Limits gains relative to the band's average, and noise with them.
  private func limit(_ range: Range<Int>, to factor: Float) {
    var (target, present) = (Float.ulpOfOne, Float.ulpOfOne)
    for index in range {
      target += wanted[index]
      present += actual[index]
    }
    let largest = min(factor * (target / present).squareRoot(), HighFrequencyAdjuster.largestGain)
    for index in range where gain[index] > largest {
      noiseGain[index] = min(noiseGain[index], noiseGain[index] * largest / gain[index])
      gain[index] = largest
    }
  }

  /// Makes up for the energy that limiting took away.
  private func boost(_ range: Range<Int>, hasNoise: Bool) {
    var (target, present) = (Float.ulpOfOne, Float.ulpOfOne)
    for index in range {
      target += wanted[index]
      present += actual[index] * gain[index] * gain[index] + sineLevel[index] * sineLevel[index]
      if hasNoise, sineLevel[index] == 0 { present += noiseGain[index] * noiseGain[index] }
    }
    let factor = min((target / present).squareRoot(), HighFrequencyAdjuster.largestBoost)
    for index in range {
      gain[index] *= factor
      noiseGain[index] *= factor
      sineLevel[index] *= factor
    }
  }

  // MARK: Assembling: 4.6.18.7.6

  private func apply(_ frame: Frame) {
    let (signal, bands, grid) = (frame.signal, frame.bands, frame.channel.grid)
    let (first, end) = (2 * grid.borders[0], 2 * grid.end)
    for column in 0..<bands.count {
      let row = unsafe signal.high.row(bands.first + column)
      spread(frame, column)
      for envelope in 0..<grid.count {
        let slots = frame.slots(envelope)
        let index = envelope * HighFrequencyAdjuster.columns + column
        let isTransient = frame.isTransient(envelope)
        let isSmooth = frame.header.isSmoothed && !isTransient
        unsafe scale(row, slots, by: isSmooth ? smoothGains : gains, offset: 4 - first)
        if sineLevel[index] != 0 {
          unsafe addSine(row, slots, sineLevel[index], phase: signal.phase - first, isOdd: (bands.first + column) & 1 == 1)
        } else if !isTransient {
          let position = signal.noisePosition + column + 1
          unsafe addNoise(
            row, slots, by: isSmooth ? smoothNoiseGains : noiseGains, first: first, position: position,
            step: bands.count)
        }
      }
      keepGains(frame, column, count: end - first)
    }
    signal.noisePosition = (signal.noisePosition + (end - first) * bands.count) & 511
    signal.phase = (signal.phase + end - first) & 3
  }

  /// Writes a subband's gains slot by slot, after the last four of the frame before, and smoothed.
  private func spread(_ frame: Frame, _ column: Int) {
    let (signal, grid) = (frame.signal, frame.channel.grid)
    for slot in 0..<4 {
      gains[slot] = frame.isReset ? gain[column] : signal.lastGains[4 * column + slot]
      noiseGains[slot] = frame.isReset ? noiseGain[column] : signal.lastNoiseGains[4 * column + slot]
    }
    let first = 2 * grid.borders[0]
    for envelope in 0..<grid.count {
      let (slots, index) = (frame.slots(envelope), envelope * HighFrequencyAdjuster.columns + column)
      gains.from(4 + slots.lowerBound - first).update(repeating: gain[index], count: slots.count)
      noiseGains.from(4 + slots.lowerBound - first).update(repeating: noiseGain[index], count: slots.count)
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

  private func keepGains(_ frame: Frame, _ column: Int, count: Int) {
    frame.signal.lastGains.from(4 * column).update(from: gains.from(count), count: 4)
    frame.signal.lastNoiseGains.from(4 * column).update(from: noiseGains.from(count), count: 4)
  }

  /// Multiplies slots, an even number of them, which exist. The gains, of which there are 48, are `offset` further.
  private func scale(_ row: SubbandRow, _ slots: Range<Int>, by gains: Table, offset: Int) {
    let gains = unsafe gains.pointer(at: slots.lowerBound + offset, count: slots.count) - slots.lowerBound
    var slot = slots.lowerBound
    while slot + 4 <= slots.upperBound {
      let gain = unsafe gains.vector(slot)
      unsafe row.real.store(row.real.vector(slot) * gain, slot)
      unsafe row.imaginary.store(row.imaginary.vector(slot) * gain, slot)
      slot += 4
    }
    while slot < slots.upperBound {
      unsafe row.real[slot] *= gains[slot]
      unsafe row.imaginary[slot] *= gains[slot]
      slot += 1
    }
  }

  /// Adds noise: from one slot to the next, the table's position moves on by all subbands.
  private func addNoise(
    _ row: SubbandRow, _ slots: Range<Int>, by gains: Table, first: Int, position: Int, step: Int
  ) {
    let gains = unsafe gains.pointer(at: slots.lowerBound + 4 - first, count: slots.count) - slots.lowerBound
    var position = position + (slots.lowerBound - first) * step
    for slot in slots {
      let noise = SBRNoise.table[position]
      unsafe row.real[slot] += gains[slot] * noise.x
      unsafe row.imaginary[slot] += gains[slot] * noise.y
      position += step
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

/// The noise that SBR adds.
enum SBRNoise {
  /// By position, modulo 512.
  static let table = LookupTable<9, SIMD2<Float>>(
    zip(SBRConstants.noiseReal, SBRConstants.noiseImaginary).map { SIMD2($0, $1) })
}
