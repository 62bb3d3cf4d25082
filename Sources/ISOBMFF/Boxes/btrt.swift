/// The bit rate of a track.
///
/// Source: ISO/IEC 14496-12, 8.5.2.
public struct BitRateBox: Box {
  /// Size of the decoder's buffer in bytes.
  public var bufferSize: UInt32 = 0
  /// Bits in the busiest second.
  public var maximumBitrate: UInt32 = 0
  /// Bits per second.
  public var averageBitrate: UInt32 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("bufferSizeDB", &bufferSize)
    try coder.integer("maxBitrate", &maximumBitrate)
    try coder.integer("avgBitrate", &averageBitrate)
  }
}
