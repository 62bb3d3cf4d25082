public import MediaCore

// What can be encoded, and at which rates.
extension AACEncoder {
  /// The sampling rates that can be encoded, in Hz. Source: ISO/IEC 14496-3, table 1.18.
  public static let sampleRates = [
    8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
  ]

  /// Whether a format can be encoded at some bit rate.
  public static func canEncode(_ format: AudioFormat) -> Bool {
    (try? EncoderSetup(format)) != nil
  }

  /// Whether a profile can be made of a format; HE-AAC never if the library was built without the trait
  /// `HighEfficiencyAAC`.
  public static func canEncode(_ format: AudioFormat, profile: Profile) -> Bool {
    switch profile {
    case .lowComplexity: canEncode(format)
    case .highEfficiency: (try? EncoderSetup(highEfficiency: format, bitRate: 32_000, signalling: .none)) != nil
    case .highEfficiencyV2: (try? EncoderSetup(parametricStereo: format, bitRate: 32_000, signalling: .none)) != nil
    }
  }

  /// The bits per second that `init(format:bitRate:)` accepts for a format; for one that cannot be encoded, those of
  /// the nearest rate that can.
  public static func bitRates(for format: AudioFormat) -> ClosedRange<Int> {
    EncoderSetup.bitRates(sampleRate: min(max(format.sampleRate, 8000), 96_000), channels: format.channels)
  }

  /// The bits per second that suit a format where nothing else is asked for: at 44 100 and 48 000 Hz 64 000 for mono,
  /// 96 000 for stereo, 320 000 for 5.1 and 448 000 for 7.1. At other rates they are proportionally fewer or more, in
  /// whole thousands, and always within `bitRates(for:)`.
  ///
  /// - Parameter format: the format of the sound.
  public static func defaultBitRate(for format: AudioFormat) -> Int {
    EncoderSetup.defaultBitRate(format.layout, sampleRate: format.sampleRate).clamped(to: bitRates(for: format))
  }

  /// The bits per second of a profile for a format, as above.
  public static func bitRates(for format: AudioFormat, profile: Profile) -> ClosedRange<Int> {
    guard profile != .lowComplexity else { return bitRates(for: format) }
    var core = format
    core.sampleRate /= 2
    if profile == .highEfficiencyV2 { core.layout = .mono }
    return bitRates(for: core)
  }

  /// The bits per second that suit a format and a profile: HE-AAC takes a third of what AAC-LC takes, HE-AAC v2 a quarter.
  public static func defaultBitRate(for format: AudioFormat, profile: Profile) -> Int {
    let full = defaultBitRate(for: format)
    let part = profile == .highEfficiency ? 3 : 4
    return profile == .lowComplexity
      ? full : (full / (part * 1000) * 1000).clamped(to: bitRates(for: format, profile: profile))
  }
}
