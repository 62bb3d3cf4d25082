internal import MediaCore

/// Texts of tags, in the encodings in which files have them. Whatever the bytes are, some text comes out.
enum TagText {
  /// Text that does not say how it is encoded: UTF-8 if it can be that, else Latin-1. It ends at a zero.
  static func plain(_ bytes: [UInt8]) -> String {
    let text = bytes.prefix { $0 != 0 }
    return String(validating: text, as: UTF8.self) ?? latin1(text)
  }

  /// A byte for each character.
  static func latin1(_ bytes: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Text of two bytes for each unit. What makes no sense becomes the replacement character.
  ///
  /// - Parameter isLittleEndian: the order, where the text does not begin with a mark that tells it.
  static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool = false) -> String {
    var (isLittle, rest) = (isLittleEndian, bytes)
    if bytes.starts(with: [0xFF, 0xFE]) { (isLittle, rest) = (true, bytes.dropFirst(2)) }
    if bytes.starts(with: [0xFE, 0xFF]) { (isLittle, rest) = (false, bytes.dropFirst(2)) }
    let start = rest.startIndex
    let units = (0..<(rest.count / 2)).map { index in
      let (first, second) = (UInt16(rest[start + 2 * index]), UInt16(rest[start + 2 * index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    return String(decoding: units, as: UTF16.self)
  }
}

extension String {
  /// Without white space and zeros at both ends.
  var trimmed: String {
    let isBlank = { (character: Character) in character.isWhitespace || character == "\0" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
