/// Properties of an AC-3 stream.
///
/// Source: ETSI TS 102 366, F.4.
package struct AC3SpecificBox: Box {
  /// Rate: 0 is 48 kHz, 1 44.1 kHz, 2 32 kHz.
  package var sampleRateCode: UInt8 = 0
  /// Version of the bit stream: 8.
  package var bitStreamID: UInt8 = 8
  /// The kind of service: 0 is the complete main programme.
  package var bitStreamMode: UInt8 = 0
  /// Which channels: 2 is stereo, 7 is five channels.
  package var audioCodingMode: UInt8 = 2
  /// Whether there is a low-frequency channel.
  package var hasLowFrequency = false
  /// Index in the standard's table of bit rates.
  package var bitRateCode: UInt8 = 0
  /// Kept as is.
  package var reserved: UInt8 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("fscod", &sampleRateCode, 2)
    try coder.bits("bsid", &bitStreamID, 5)
    try coder.bits("bsmod", &bitStreamMode, 3)
    try coder.bits("acmod", &audioCodingMode, 3)
    try coder.flag("lfeon", &hasLowFrequency)
    try coder.bits("bit_rate_code", &bitRateCode, 5)
    try coder.reservedBits(&reserved, 5)
  }

  /// Number of channels, low frequencies included.
  package var channelCount: Int { AC3Channels.count(audioCodingMode, hasLowFrequency) }

  /// Samples per second; `nil` for the reserved code.
  package var sampleRate: UInt32? { AC3Channels.sampleRate(sampleRateCode) }
}

/// Number of channels of AC-3's coding modes.
enum AC3Channels {
  /// By `acmod`; 0 is two separate programmes. Source: ETSI TS 102 366, 4.4.2.3.
  private static let counts = [2, 1, 2, 3, 3, 4, 4, 5]

  /// Samples per second by `fscod`; `nil` for the reserved code. Source: ETSI TS 102 366, 4.4.1.3.
  static func sampleRate(_ code: UInt8) -> UInt32? {
    let rates: [UInt32] = [48_000, 44_100, 32_000]
    return rates.indices.contains(Int(code)) ? rates[Int(code)] : nil
  }

  static func count(_ codingMode: UInt8, _ hasLowFrequency: Bool) -> Int {
    counts[Int(codingMode & 7)] + (hasLowFrequency ? 1 : 0)
  }
}
