/// General properties of a hint track's media: instructions to a server that streams.
///
/// Source: ISO/IEC 14496-12, 12.4.3.
public struct HintMediaHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Size in bytes of the largest packet.
  public var maximumPDUSize: UInt16 = 0
  /// Average size in bytes of a packet.
  public var averagePDUSize: UInt16 = 0
  /// Bits in the busiest second.
  public var maximumBitrate: UInt32 = 0
  /// Bits per second.
  public var averageBitrate: UInt32 = 0
  /// Kept as is.
  public var reserved: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("maxPDUsize", &maximumPDUSize)
    try coder.integer("avgPDUsize", &averagePDUSize)
    try coder.integer("maxbitrate", &maximumBitrate)
    try coder.integer("avgbitrate", &averageBitrate)
    try coder.reserved(&reserved, count: 4)
  }
}
