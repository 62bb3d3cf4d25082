/// MPEG-4 descriptors: a tag, a length in seven bits per byte, then that many bytes, which may again hold descriptors.
///
/// Source: ISO/IEC 14496-1, 8.3.3.
enum Descriptor {
  /// The tags that matter in `esds`. Source: ISO/IEC 14496-1, table 1.
  enum Tag: UInt8 {
    case stream = 3
    case decoderConfig = 4
    case decoderSpecificInfo = 5
    case syncLayer = 6
  }

  /// The content of the first descriptor with this tag in a sequence. A length beyond the end is cut.
  static func first(_ tag: Tag, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while let found = rest.popFirst() {
      guard let length = length(&rest) else { return nil }
      if found == tag.rawValue { return rest.prefix(length) }
      rest = rest.dropFirst(length)
    }
    return nil
  }

  /// A descriptor with its length in as few bytes as possible.
  static func written(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
    var groups = [UInt8(content.count & 0x7F)]
    var left = content.count >> 7
    while left > 0 {
      groups.insert(UInt8(left & 0x7F) | 0x80, at: 0)
      left >>= 7
    }
    return [tag.rawValue] + groups + content
  }

  /// At most four bytes of seven bits; all but the last have the highest bit set.
  private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var length = 0
    for _ in 0..<4 {
      guard let byte = rest.popFirst() else { return nil }
      length = length << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return length
  }
}
