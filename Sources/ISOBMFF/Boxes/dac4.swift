/// What an AC-4 stream is.
///
/// Source: ETSI TS 103 190-2, E.6.
public struct AC4SpecificBox: Box {
  /// Version of what follows: 1.
  public var dsiVersion: UInt8 = 1
  /// Version of the bit stream.
  public var bitStreamVersion: UInt8 = 2
  /// Rate: 0 is 44.1 kHz, 1 is 48 kHz.
  public var sampleRateCode: UInt8 = 1
  /// Place in the standard's table of frame rates.
  public var frameRateIndex: UInt8 = 0
  /// How many presentations there are to choose from.
  public var presentationCount: UInt16 = 1
  /// The rest, which depends on the version.
  public var data: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("ac4_dsi_version", &dsiVersion, 3)
    try coder.bits("bitstream_version", &bitStreamVersion, 7)
    try coder.bits("fs_index", &sampleRateCode, 1)
    try coder.bits("frame_rate_index", &frameRateIndex, 4)
    try coder.bits("n_presentations", &presentationCount, 9)
    try coder.rest("data", &data)
  }
}
