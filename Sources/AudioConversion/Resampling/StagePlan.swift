/// One step of a conversion: from a rate to another, through a filter.
struct StagePlan: Hashable {
  /// Rates of what goes in and comes out, in Hz.
  let from: Int
  let to: Int
  /// The end of the pass-band and the beginning of the stop-band, in Hz.
  let pass: Double
  let stop: Double
  /// Whether this is the stage with the narrow transition, which shapes the response.
  let isSteep: Bool

  /// The stages from one rate to another.
  ///
  /// The narrower the transition of a filter relative to the rate, the more taps it needs. So a large ratio is divided:
  /// one stage, with the narrow transition, runs at the lower rate and changes it by a factor of 2. In the others
  /// nothing lies near the sound that would have to be removed, and a few taps suffice.
  static func stages(from: Int, to: Int, quality: ConversionQuality) -> [StagePlan] {
    guard from != to else { return [] }
    let (low, high) = (min(from, to), max(from, to))
    let nyquist = Double(low) / 2
    func steep(_ rate: Int) -> StagePlan {
      StagePlan(
        from: low, to: rate, pass: quality.passBand * nyquist, stop: quality.stopBand * nyquist, isSteep: true)
    }
    var rising: [StagePlan] = []
    if high < 3 * low {
      rising.append(steep(high))
    } else {
      rising.append(steep(2 * low))
      var rate = 2 * low
      while rate < high {
        // Beyond a factor of 16 another stage costs less than a longer table.
        let next = high > 16 * rate ? 8 * rate : high
        rising.append(StagePlan(from: rate, to: next, pass: nyquist, stop: Double(rate) - nyquist, isSteep: false))
        rate = next
      }
    }
    // Downwards, the same filters take away what would become aliases, in reverse order.
    return from < to ? rising : rising.reversed().map(\.reversed)
  }

  /// The same filter from the higher rate to the lower.
  private var reversed: StagePlan {
    StagePlan(from: to, to: from, pass: pass, stop: stop, isSteep: isSteep)
  }
}
