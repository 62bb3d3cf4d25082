public import MediaCore

// What can be encoded, and at which rates.
extension AACEncoder {
  /// The sampling rates that can be encoded, in Hz. Source: ISO/IEC 14496-3, table 1.18.
  public static let sampleRates = [
    8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
  ]

  /// Whether a format can be encoded with a profile; never with HE-AAC if the library was built without the trait
  /// `HighEfficiencyAAC`.
  public static func canEncode(_ format: AudioFormat, profile: Profile = .lowComplexity) -> Bool {
    (try? EncoderSetup(format, profile: profile, bitRate: 32_000, signalling: .none)) != nil
  }

  /// The range of bits per second that a profile has for a format. For a sampling rate that cannot be encoded, it is
  /// the range of the nearest one that can.
  public static func bitRates(for format: AudioFormat, profile: Profile = .lowComplexity) -> ClosedRange<Int> {
    let (rate, channels) =
      switch profile {
      case .lowComplexity: (format.sampleRate, format.channels)
      case .highEfficiency: (format.sampleRate / 2, format.channels)
      case .highEfficiencyV2: (format.sampleRate / 2, 1)
      }
    return EncoderSetup.bitRates(sampleRate: rate.clamped(to: 8000...96_000), channels: channels)
  }

  /// The default bit rate for a format, in bits per second. For AAC-LC at 44.1 and 48 kHz it is 64 000 for mono, 96 000
  /// for stereo, 320 000 for 5.1 and 448 000 for 7.1; HE-AAC gets a third of that, HE-AAC v2 a quarter. Other sampling
  /// rates are scaled in proportion. The result is a whole number of thousands, within `bitRates(for:profile:)`.
  public static func defaultBitRate(for format: AudioFormat, profile: Profile = .lowComplexity) -> Int {
    let suitable = EncoderSetup.defaultBitRate(format.layout, sampleRate: format.sampleRate)
    let full = suitable.clamped(to: bitRates(for: format))
    let rate =
      switch profile {
      case .lowComplexity: full
      case .highEfficiency: full / 3000 * 1000
      case .highEfficiencyV2: full / 4000 * 1000
      }
    return rate.clamped(to: bitRates(for: format, profile: profile))
  }
}
