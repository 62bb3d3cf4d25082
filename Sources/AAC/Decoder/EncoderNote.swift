package import MediaCore

/// What an encoder says of itself in the first packet of a stream.
package enum EncoderNote {
  /// Frames that FAAC's streams begin with before the sound: it writes no edit list, tag or anything else about them.
  package static let primingOfFAAC = 1024

  /// Bytes of the element at most, with its header: a size of 4 and 8 bits.
  private static let longest = 300

  /// The name and version that FAAC (libfaac) writes at the start of a stream's first packet. Reads only as many bytes
  /// as the note can take.
  package static func faac(in packet: EncodedSample?) -> String? {
    (try? packet?.payload.prefix(longest).load()).flatMap { faac(in: $0) }
  }

  /// The name and version that FAAC (libfaac) writes into a fill element at the beginning of the first packet:
  /// `libfaac 1.28`.
  ///
  /// The element's type is that of filling, EXT_FILL, and its bytes a text, which begins on a byte of the packet.
  ///
  /// - Returns: `nil` for packets of other encoders.
  ///
  /// Source: ISO/IEC 14496-3, 4.4.2.7 (fill_element, extension_payload), and files that FAAC made.
  package static func faac(in packet: some Collection<UInt8>) -> String? {
    var reader = BitReader(packet.prefix(longest))
    do {
      guard try reader.bits(3) == UInt32(ChannelElements.Kind.fill.rawValue) else { return nil }
      var size = Int(try reader.bits(4))
      if size == 15 { size += Int(try reader.bits(8)) - 1 }
      guard try reader.bits(4) == 0, size > 2 else { return nil }
      // fill_nibble, one fill_byte, and a bit that brings the text to the next byte of the packet.
      try reader.skip(4 + 8 + 1)
      var text: [UInt8] = []
      for _ in 0..<(size - 3) {
        let byte = UInt8(try reader.bits(8))
        guard (0x20..<0x7F).contains(byte) else { break }
        text.append(byte)
      }
      return version(String(decoding: text, as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// Keeps the name and version number; the date after them is dropped.
  private static func version(_ text: String) -> String? {
    let words = text.split(separator: " ")
    guard words.count >= 2, words[0] == "libfaac", words[1].first?.isNumber == true, words[1].contains(".") else {
      return nil
    }
    return "\(words[0]) \(words[1])"
  }
}
