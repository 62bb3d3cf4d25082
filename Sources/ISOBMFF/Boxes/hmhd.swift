/// General properties of a hint track's media: instructions to a server that streams.
///
/// Source: ISO/IEC 14496-12, 12.4.3.
package struct HintMediaHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Size in bytes of the largest packet.
  package var maximumPDUSize: UInt16 = 0
  /// Average size in bytes of a packet.
  package var averagePDUSize: UInt16 = 0
  /// Bits in the busiest second.
  package var maximumBitrate: UInt32 = 0
  /// Bits per second.
  package var averageBitrate: UInt32 = 0
  /// Kept as is.
  package var reserved: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("maxPDUsize", &maximumPDUSize)
    try coder.integer("avgPDUsize", &averagePDUSize)
    try coder.integer("maxbitrate", &maximumBitrate)
    try coder.integer("avgbitrate", &averageBitrate)
    try coder.reserved(&reserved, count: 4)
  }
}
