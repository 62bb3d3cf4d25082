/// How loud sound is to be.
///
/// Streaming services want -14 to -16 LUFS, broadcasters -23 (EBU R 128), cinema and games less.
public struct LoudnessTarget: Sendable, Hashable {
  /// The integrated loudness in LUFS. A value outside `range` becomes its nearer end; NaN becomes -16.
  public var integrated: Double { didSet { integrated = LoudnessTarget.valid(integrated: integrated) } }
  /// The highest true peak in dBTP: where a gain would take peaks above it, they are limited. A lossy codec moves peaks
  /// by a fraction of a dB, which is why 1 dB is left by default. It is kept within -20 to 0; NaN becomes -1.
  public var truePeak: Double { didSet { truePeak = LoudnessTarget.valid(truePeak: truePeak) } }

  /// Targets that make sense, in LUFS.
  public static let range = -70.0 ... -5.0

  /// A target from its parts, each made valid as its property says.
  public init(integrated: Double, truePeak: Double = -1) {
    self.integrated = LoudnessTarget.valid(integrated: integrated)
    self.truePeak = LoudnessTarget.valid(truePeak: truePeak)
  }

  private static func valid(integrated: Double) -> Double {
    integrated.isNaN ? -16 : min(max(integrated, range.lowerBound), range.upperBound)
  }

  private static func valid(truePeak: Double) -> Double { truePeak.isNaN ? -1 : min(max(truePeak, -20), 0) }
}

/// How sound was changed to reach a loudness.
public struct LoudnessChange: Sendable, Hashable {
  /// How loud it was, in LUFS; `nil` if it is too short or too quiet to say, and was left as it is.
  public var before: Double?
  /// How loud it is now, in LUFS: as wanted, unless limiting its peaks made it softer.
  public var after: Double?
  /// The gain, in dB.
  public var gain: Double
  /// Whether peaks were limited.
  public var isLimited: Bool

  /// A change from its parts.
  package init(before: Double?, after: Double?, gain: Double, isLimited: Bool) {
    (self.before, self.after, self.gain, self.isLimited) = (before, after, gain, isLimited)
  }
}
