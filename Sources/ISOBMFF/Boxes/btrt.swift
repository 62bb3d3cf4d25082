/// The bit rate of a track.
///
/// Source: ISO/IEC 14496-12, 8.5.2.
package struct BitRateBox: Box {
  /// Size of the decoder's buffer in bytes.
  package var bufferSize: UInt32 = 0
  /// Bits in the busiest second.
  package var maximumBitrate: UInt32 = 0
  /// Bits per second.
  package var averageBitrate: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("bufferSizeDB", &bufferSize)
    try coder.integer("maxBitrate", &maximumBitrate)
    try coder.integer("avgBitrate", &averageBitrate)
  }
}
