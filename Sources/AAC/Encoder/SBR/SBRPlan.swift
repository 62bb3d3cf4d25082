/// The header that an encoder with SBR uses for a rate, and the bands that follow from it.
struct SBRPlan {
  let header: SBRHeader
  let bands: SBRBands
  /// The highest frequency of the core, in Hz.
  let crossover: Int

  /// The bits a second for each channel of a pair below which an entry applies, and where the described band then
  /// begins and ends, in Hz.
  ///
  /// The more bits, the further up the core can be coded. Found by trial (Zimtohrli, 16 to 48 kb/s): not every place in
  /// between is better than the one below, as it matters from where the copies come; the lowest subbands make poor
  /// ones.
  private static let spectra: [(bits: Int, first: Double, end: Double)] = [
    (14_000, 4150, 16_200), (19_000, 4500, 16_200), (22_000, 6000, 17_500), (38_000, 6550, 17_500),
    (.max, 9000, 19_000),
  ]

  /// The highest subband where SBR may begin: the half-band filter, which makes the core, weakens what lies above.
  private static let highestFirst = 28

  /// Where the described band begins instead while a sound is simple, in Hz.
  private static let higherFirsts: [Double] = [8200, 10_200]

  /// The plans that an encoder can choose from at any time: the usual one, and those whose cores reach higher.
  ///
  /// - Parameters:
  ///   - rate: of the sound, in Hz.
  ///   - bitRate: bits per second.
  ///   - channels: 1 or 2.
  /// - Returns: none for a rate that SBR has no tables for.
  static func choices(rate: Int, bitRate: Int, channels: Int) -> [SBRPlan] {
    // A channel alone takes more bits than one of a pair, which has something in common with the other.
    let bits = channels == 1 ? 4 * bitRate / 5 : bitRate / channels
    let usual = spectra.first { bits < $0.bits } ?? spectra[0]
    var choices: [SBRPlan] = []
    for first in [usual.first] + higherFirsts {
      guard let plan = SBRPlan(rate: rate, first: first, end: usual.end) else { continue }
      if plan.crossover > choices.last?.crossover ?? 0 { choices.append(plan) }
    }
    return choices
  }

  /// The plan that comes nearest to what is wanted, in Hz; `nil` for a rate that SBR has no tables for.
  private init?(rate: Int, first: Double, end: Double) {
    let width = Double(rate) / 128
    var best: (distance: Double, header: SBRHeader, bands: SBRBands)?
    for start in 0..<16 {
      for stop in 0..<14 {
        var header = SBRHeader()
        (header.spectrum.start, header.spectrum.stop) = (start, stop)
        header.isCoarse = true
        // Levels are measured here, and a limit would change them: what is copied may be as loud as the original.
        header.limiterGain = 3
        guard let bands = SBRBands(header, rate: rate), bands.first <= SBRPlan.highestFirst else { continue }
        let distance =
          abs(Double(bands.first) * width - first) + 0.5 * abs(Double(bands.first + bands.count) * width - end)
        if distance < best?.distance ?? .infinity { best = (distance, header, bands) }
      }
    }
    guard let best else { return nil }
    (header, bands) = (best.header, best.bands)
    crossover = bands.first * rate / 128
  }
}
