/// Text as it is in a file: kept byte for byte, whatever its encoding.
package struct BoxText: Sendable, Hashable {
  /// The bytes without the terminating zero.
  package var bytes: [UInt8]
  /// Whether a zero byte follows.
  package var isTerminated: Bool

  /// Text from bytes.
  package init(bytes: [UInt8] = [], isTerminated: Bool = true) {
    self.bytes = bytes
    self.isTerminated = isTerminated
  }

  /// Text from a string.
  package init(_ text: String) {
    self.init(bytes: Array(text.utf8))
  }

  /// Whether the bytes begin with a UTF-16 byte order mark.
  package var isUTF16: Bool { bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) }

  /// The bytes as UTF-8, or as UTF-16 after a byte order mark; invalid bytes become U+FFFD.
  package var text: String {
    guard isUTF16 else { return String(decoding: bytes, as: UTF8.self) }
    let isLittle = bytes.first == 0xFF
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    return String(decoding: units, as: UTF16.self)
  }
}
