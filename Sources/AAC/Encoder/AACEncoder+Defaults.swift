public import MediaCore

extension AACEncoder {
  /// The sampling rates that can be encoded, in Hz, from the highest to the lowest.
  public static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
  ]

  /// The bit rate that suits a format.
  public static func defaultBitRate(for format: AudioFormat) -> Int {
    let range = bitRates(for: format)
    return min(max(96_000, range.lowerBound), range.upperBound)
  }
}
