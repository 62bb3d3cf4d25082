/// The sampling rates that AAC has short codes for.
///
/// Source: ISO/IEC 14496-3, table 1.18 (samplingFrequencyIndex).
enum SamplingFrequency {
  /// Rates in Hz by index. Indices 13 and 14 are reserved.
  static let table: [UInt32] = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]

  /// The index that means: the rate follows as a number of 24 bits.
  static let escape: UInt8 = 15

  /// The index of exactly this rate, if there is one. ADTS needs an index; the nearest one would change pitch and
  /// length.
  static func index(of frequency: UInt32) -> UInt8? {
    table.firstIndex(of: frequency).map { UInt8($0) }
  }

  /// The rate of the table whose constants apply to a rate.
  static func nominal(_ frequency: UInt32) -> Int { Int(table[tableIndex(of: frequency)]) }

  /// The rate of an index, if it has one.
  static func frequency(at index: UInt8) -> UInt32? {
    Int(index) < table.count ? table[Int(index)] : nil
  }
}
