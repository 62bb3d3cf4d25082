/// Computes how the generated subbands of a frame are adjusted.
///
/// For each envelope and subband there are three numbers: the gain of the sound, the levels of noise and of a sine.
/// They follow from the energies that it has and should have. Tables have a row of `columns` for each envelope, and
/// columns are subbands counted from the first one that SBR makes.
///
/// Source: ISO/IEC 14496-3, 4.6.18.7.2 to 4.6.18.7.5.
final class HighFrequencyGains {
  typealias Table = AlignedMemory<Float>
  static let columns = SBRBands.subbands

  /// The result: the gain of the sound, and the levels of noise and of a sine.
  let gain = Table(SBRTimeGrid.maximum * columns)
  let noiseGain = Table(SBRTimeGrid.maximum * columns)
  let sineLevel = Table(SBRTimeGrid.maximum * columns)

  /// The energy that each subband should have, and has.
  private let wanted = Table(SBRTimeGrid.maximum * columns)
  private let actual = Table(SBRTimeGrid.maximum * columns)
  /// Noise relative to the sound.
  private let noiseRatio = Table(SBRTimeGrid.maximum * columns)
  /// 1 where a subband has a sine, otherwise 0; and where its band has one.
  private let sine = Table(SBRTimeGrid.maximum * columns)
  private let bandHasSine = Table(SBRTimeGrid.maximum * columns)

  /// How far a gain may exceed its band's average, by `bs_limiter_gains`.
  private static let limits: [Float] = [0.70795, 1, 1.41254, 1e10]
  private static let largestGain: Float = 1e5
  /// The most by which gains are raised to make up for what limiting took away: 4 dB, as a factor.
  static let largestBoost: Float = 1.584_893_192

  /// Computes the gains of a frame that was generated.
  func compute(_ frame: SBRFrame) {
    for envelope in 0..<frame.channel.grid.count {
      map(frame, envelope)
      measure(frame, envelope)
    }
    keepSines(frame)
    for envelope in 0..<frame.channel.grid.count { computeGains(frame, envelope) }
  }

  // MARK: Mapping: 4.6.18.7.2

  /// Spreads the values of bands over their subbands.
  private func map(_ frame: SBRFrame, _ envelope: Int) {
    let (bands, channel, row) = (frame.bands, frame.channel, envelope * HighFrequencyGains.columns)
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
    guard !channel.harmonics.isEmpty else {
      return bandHasSine.from(row).update(repeating: 0, count: HighFrequencyGains.columns)
    }
    for band in 0..<(borders.count - 1) {
      let range = borders[band] - bands.first..<borders[band + 1] - bands.first
      let hasSine: Float = range.contains { sine[row + $0] != 0 } ? 1 : 0
      for column in range { bandHasSine[row + column] = hasSine }
    }
  }

  /// A sine is in the middle of its band; a new one begins with the attack, if there is one.
  private func mapSines(_ frame: SBRFrame, _ envelope: Int) {
    let (bands, channel, row) = (frame.bands, frame.channel, envelope * HighFrequencyGains.columns)
    sine.from(row).update(repeating: 0, count: HighFrequencyGains.columns)
    for (band, hasSine) in channel.harmonics.enumerated() where hasSine && band < bands.high.count - 1 {
      let column = (bands.high[band] + bands.high[band + 1]) / 2 - bands.first
      if envelope >= channel.grid.transient ?? 0 || frame.signal.sines[column] { sine[row + column] = 1 }
    }
  }

  private func keepSines(_ frame: SBRFrame) {
    let row = (frame.channel.grid.count - 1) * HighFrequencyGains.columns
    for column in 0..<HighFrequencyGains.columns { frame.signal.sines[column] = sine[row + column] != 0 }
  }

  // MARK: Energies: 4.6.18.7.3

  private func measure(_ frame: SBRFrame, _ envelope: Int) {
    let (bands, slots, row) = (frame.bands, frame.slots(envelope), envelope * HighFrequencyGains.columns)
    let scale = 1 / Float(slots.count)
    for column in 0..<bands.count {
      actual[row + column] = unsafe frame.signal.high.row(bands.first + column).energy(slots) * scale
    }
    guard !frame.header.isInterpolated else { return }
    let borders = bands.bands(isHigh: frame.channel.grid.isHigh[envelope])
    for band in 0..<(borders.count - 1) {
      let range = borders[band] - bands.first..<borders[band + 1] - bands.first
      let mean = range.reduce(0) { $0 + actual[row + $1] } / Float(range.count)
      for column in range { actual[row + column] = mean }
    }
  }

  // MARK: Gains: 4.6.18.7.4 and 4.6.18.7.5

  private func computeGains(_ frame: SBRFrame, _ envelope: Int) {
    let row = envelope * HighFrequencyGains.columns
    let hasNoise = !frame.isTransient(envelope)
    let borders = frame.bands.limiter
    for column in stride(from: 0, to: frame.bands.count, by: 4) {
      computeGains(at: row + column, hasNoise: hasNoise)
    }
    for band in 0..<(borders.count - 1) {
      let range = row + borders[band] - frame.bands.first..<row + borders[band + 1] - frame.bands.first
      limit(range, to: HighFrequencyGains.limits[frame.header.limiterGain])
      boost(range, hasNoise: hasNoise)
    }
  }

  /// The gains of four columns, of which a row has a multiple of four.
  private func computeGains(at index: Int, hasNoise: Bool) {
    func four(_ table: Table) -> UnsafeMutablePointer<Float> { unsafe table.pointer(at: index, count: 4) }
    let (energy, ratio) = unsafe (four(wanted).vector(0), four(noiseRatio).vector(0))
    let base = energy / (1 + ratio)
    let isSine = unsafe four(sine).vector(0) .!= 0
    let isBesideSine = unsafe four(bandHasSine).vector(0) .!= 0
    let part = (hasNoise ? 1 / (1 + ratio) : .one).replacing(with: ratio / (1 + ratio), where: isBesideSine)
    unsafe four(noiseGain).store((base * ratio).squareRoot(), 0)
    unsafe four(sineLevel).store(SIMD4.zero.replacing(with: base.squareRoot(), where: isSine), 0)
    unsafe four(gain).store((energy * part / (1 + four(actual).vector(0))).squareRoot(), 0)
  }

  /// Limits gains relative to the band's average, and noise with them.
  private func limit(_ range: Range<Int>, to factor: Float) {
    var (target, present) = (Float.ulpOfOne, Float.ulpOfOne)
    for index in range {
      target += wanted[index]
      present += actual[index]
    }
    let largest = min(factor * (target / present).squareRoot(), HighFrequencyGains.largestGain)
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
    let factor = min((target / present).squareRoot(), HighFrequencyGains.largestBoost)
    for index in range {
      gain[index] *= factor
      noiseGain[index] *= factor
      sineLevel[index] *= factor
    }
  }
}
