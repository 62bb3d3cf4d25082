/// Keywords by which to find a file.
///
/// Source: 3GPP TS 26.244, 8.
package struct KeywordsBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Three letters of five bits each; see `LanguageCode`.
  package var language: UInt16 = 0x55C4
  /// UTF-8, or UTF-16 after a byte order mark, including the terminating zeros.
  package var keywords: [BoxText] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.language(&language)
    try coder.countedList("keywords", &keywords, by: UInt8.self, minimumSize: 1, make: { BoxText() }) {
      (coder, keyword) throws(BoxError) in try coder.pascalText("keyword", &keyword)
    }
  }
}
