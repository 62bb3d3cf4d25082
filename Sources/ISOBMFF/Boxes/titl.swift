/// Text about a file, in one language: title `titl`, author `auth`, performer `perf`, genre `gnre`, description `dscp`
/// and copyright `cprt`.
///
/// Source: 3GPP TS 26.244, 8; ISO/IEC 14496-12, 8.10.2.
package struct AssetTextBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Three letters of five bits each; see `LanguageCode`.
  package var language: UInt16 = 0x55C4
  /// UTF-8, or UTF-16 after a byte order mark.
  package var text = BoxText()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.language(&language)
    try coder.unicodeText("text", &text)
  }
}
