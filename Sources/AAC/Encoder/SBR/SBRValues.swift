#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The numbers of a frame as they are sent: levels and noise floors in steps, of each channel on its own, or of a pair
/// as the sum of both and the balance between them.
///
/// Source: ISO/IEC 14496-3, 4.6.18.3.5 (the inverse of `SBRLevels`).
struct SBRValues {
  let isCoupled: Bool
  /// The levels of each channel's envelopes.
  private(set) var levels: [[SBRLevelCoder.Row]]
  /// The noise floors of each channel.
  private(set) var noise: [[SBRLevelCoder.Row]]
  /// `bs_invf_mode` of each channel, or of both.
  let inverseFiltering: [[Int]]

  typealias Estimate = SBRNoiseEstimator.Estimate

  /// Channels on their own.
  ///
  /// - Parameters:
  ///   - energies: by channel, envelope and band.
  ///   - estimates: of each channel's noise.
  ///   - plan: how the frame is divided.
  ///   - isCoarse: whether levels are in steps of 3 dB, not 1.5.
  init(separate energies: [[[Float]]], _ estimates: [Estimate], _ plan: SBRFramePlan, isCoarse: Bool) {
    isCoupled = false
    levels = energies.map { envelopes in
      SBRValues.rows(envelopes, plan) { SBRValues.level($0, from: 6, isCoarse: isCoarse) }
    }
    noise = estimates.map { SBRValues.floors($0.levels, plan) }
    inverseFiltering = estimates.map(\.inverseFiltering)
  }

  /// A pair: the level of both together, and how much of it the left one has.
  init(coupled energies: [[[Float]]], _ estimates: [Estimate], _ plan: SBRFramePlan, isCoarse: Bool) {
    isCoupled = true
    let sums = zip(energies[0], energies[1]).map { zip($0, $1).map { $0 + $1 } }
    let ratios = zip(energies[0], energies[1]).map { zip($0, $1).map { ($1 + 1) / ($0 + 1) } }
    let (centre, step): (Float, Float) = isCoarse ? (6, 2) : (12, 1)
    levels = [
      SBRValues.rows(sums, plan) { SBRValues.level($0, from: 7, isCoarse: isCoarse) },
      SBRValues.rows(ratios, plan) { SBRValues.balance($0, centre: centre, step: step) },
    ]
    let parts = estimates.map(\.ratios)
    let sum = zip(parts[0], parts[1]).map { SBRValues.clamped(7 - log2f($0 + $1), to: 30) }
    let ratio = zip(parts[0], parts[1]).map { SBRValues.balance($1 / $0, centre: 6, step: 2) }
    noise = [SBRValues.floors(sum, plan), SBRValues.floors(ratio, plan)]
    inverseFiltering = [zip(estimates[0].inverseFiltering, estimates[1].inverseFiltering).map { max($0, $1) }]
  }

  private static func rows(
    _ envelopes: [[Float]], _ plan: SBRFramePlan, _ value: (Float) -> Int
  ) -> [SBRLevelCoder.Row] {
    zip(envelopes, plan.isHigh).map { SBRLevelCoder.Row(values: $0.map(value), isHigh: $1) }
  }

  private static func floors(_ values: [Int], _ plan: SBRFramePlan) -> [SBRLevelCoder.Row] {
    [SBRLevelCoder.Row](repeating: SBRLevelCoder.Row(values: values, isHigh: true), count: plan.noiseCount)
  }

  /// An energy in steps of 1.5 or 3 dB above a power of two.
  private static func level(_ energy: Float, from lowest: Float, isCoarse: Bool) -> Int {
    let exponent = log2f(max(energy, 1)) - lowest
    return clamped(isCoarse ? exponent : 2 * exponent, to: isCoarse ? 31 : 60)
  }

  private static func balance(_ ratio: Float, centre: Float, step: Float) -> Int {
    clamped(centre - log2f(ratio) / step, to: 2 * Int(centre))
  }

  /// The nearest whole number from 0 on.
  private static func clamped(_ value: Float, to largest: Int) -> Int {
    Int(min(max(value.rounded(), 0), Float(largest)))
  }
}
