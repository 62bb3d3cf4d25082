/// Text in one or several languages: QuickTime's user data whose types begin with `©`.
///
/// Source: QuickTime File Format, User Data Text Strings and Language Codes.
package struct InternationalTextBox: Box {
  /// The same text in several languages.
  package var strings: [InternationalText] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    // Some writers put something else here: bytes, or boxes as iTunes does.
    if coder.isReading, !coder.peek(4).isEmpty {
      let head = Array(coder.peek(2))
      guard head.count == 2, Int(head[0]) << 8 | Int(head[1]) <= coder.remaining - 4 else {
        throw BoxError(.truncated, field: "text_size")
      }
    }
    try coder.listToEnd("strings", &strings, make: InternationalText.init) {
      (coder, text) throws(BoxError) in try text.code(with: &coder)
    }
  }
}

/// Text in a language.
package struct InternationalText: Sendable, Hashable {
  /// Three letters of five bits each, or, below 0x400, a QuickTime language number.
  package var language: UInt16 = 0x55C4
  /// The text: Mac Roman or the like under a QuickTime language number, otherwise UTF-8.
  package var bytes: [UInt8] = []

  /// No text.
  package init() {}

  /// The bytes as UTF-8, or UTF-16 after a byte order mark. Under a QuickTime language number they are Mac Roman, unless
  /// they are valid UTF-8, which newer programs write there.
  package var text: String {
    if language < 0x400, String(validating: bytes, as: UTF8.self) == nil { return MacRoman.text(bytes) }
    return BoxText(bytes: bytes).text
  }

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    var size = UInt16(clamping: bytes.count)
    if !coder.isPrinting { try coder.integer("text_size", &size) }
    try coder.integer("language", &language)
    if coder.isPrinting { return coder.remark("text", .text(text)) }
    if !coder.isReading { bytes = Array(bytes.prefix(Int(size))) }
    try coder.bytes("text", &bytes, count: Int(size))
  }
}
