#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The loudness of any number of blocks, in memory that does not grow with them: counted in steps of 0.01 LU, from the
/// absolute gate on. What is softer does not count anywhere.
///
/// Source: ITU-R BS.1770-5, annex 1, for the gates; EBU Tech 3342 for the range.
struct LoudnessHistogram: Sendable {
  /// Blocks that are softer are silence, in LUFS.
  static let absoluteGate = -70.0
  private static let stepsPerUnit = 100.0
  /// Up to +30 LUFS; what is louder, as floats can be, counts as this loud.
  private static let steps = 10_000

  private var counts = [UInt64](repeating: 0, count: LoudnessHistogram.steps)
  private var powers = [Double](repeating: 0, count: LoudnessHistogram.steps)

  /// The loudness of a mean power, in LUFS.
  static func loudness(of power: Double) -> Double { -0.691 + 10 * log10(power) }

  /// Counts a block.
  mutating func add(power: Double) {
    let loudness = LoudnessHistogram.loudness(of: power)
    guard loudness > LoudnessHistogram.absoluteGate else { return }
    let index = LoudnessHistogram.index(of: loudness)
    counts[index] += 1
    powers[index] += power
  }

  private static func index(of loudness: Double) -> Int {
    Int(min(max((loudness - absoluteGate) * stepsPerUnit, 0), Double(steps - 1)))
  }

  /// The loudness of the mean of all blocks that are not more than some LU softer than the mean of all; `nil` if there
  /// are none.
  func gatedLoudness(relativeGate: Double) -> Double? {
    guard let first = gate(relativeGate), let power = mean(from: first) else { return nil }
    return LoudnessHistogram.loudness(of: power)
  }

  /// The difference between the 10th and the 95th percentile of the blocks above the relative gate, in LU; `nil` if
  /// there are none.
  func range(relativeGate: Double) -> Double? {
    guard let first = gate(relativeGate) else { return nil }
    let total = counts[first...].reduce(0, +)
    guard total > 0 else { return nil }
    // Positions are rounded to whole blocks, as in the recommendation's program.
    func value(at part: Double) -> Double {
      let position = UInt64((Double(total - 1) * part).rounded())
      var passed: UInt64 = 0
      for index in first..<counts.count {
        passed += counts[index]
        if passed > position { return LoudnessHistogram.loudness(of: powers[index] / Double(counts[index])) }
      }
      return 0
    }
    return value(at: 0.95) - value(at: 0.1)
  }

  /// The step at which the relative gate is; `nil` if there are no blocks.
  private func gate(_ relativeGate: Double) -> Int? {
    guard let power = mean(from: 0) else { return nil }
    return LoudnessHistogram.index(of: LoudnessHistogram.loudness(of: power) + relativeGate)
  }

  private func mean(from first: Int) -> Double? {
    let count = counts[first...].reduce(0, +)
    return count == 0 ? nil : powers[first...].reduce(0, +) / Double(count)
  }
}
