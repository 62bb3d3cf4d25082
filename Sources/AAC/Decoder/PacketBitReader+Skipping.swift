// Elements of a packet that a decoder does not need.
extension PacketBitReader {
  /// Skips data_stream_element(): ISO/IEC 14496-3, 4.4.2.1, table 4.10.
  mutating func skipDataStream() {
    skip(4)
    let isAligned = flag()
    var count = bits(8)
    if count == 255 { count += bits(8) }
    if isAligned { alignToByte() }
    skip(8 * count)
  }

  /// Skips program_config_element(), a description of the channels: the one known from outside applies to the whole
  /// stream. Source: ISO/IEC 14496-3, 4.4.1.1, table 4.2.
  mutating func skipProgramConfig() {
    skip(4 + 2 + 4)
    let (front, side, back) = (bits(4), bits(4), bits(4))
    let (lowFrequency, data, coupling) = (bits(2), bits(3), bits(4))
    if flag() { skip(4) }
    if flag() { skip(4) }
    if flag() { skip(3) }
    skip(5 * (front + side + back) + 4 * (lowFrequency + data) + 5 * coupling)
    alignToByte()
    skip(8 * bits(8))
  }
}
