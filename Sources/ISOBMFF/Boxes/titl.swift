/// Text about a file, in one language: title `titl`, author `auth`, performer `perf`, genre `gnre`, description `dscp`
/// and copyright `cprt`.
///
/// Source: 3GPP TS 26.244, 8; ISO/IEC 14496-12, 8.10.2.
public struct AssetTextBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Three letters of five bits each; see `LanguageCode`.
  public var language: UInt16 = 0x55C4
  /// UTF-8, or UTF-16 after a byte order mark.
  public var text = BoxText()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.language(&language)
    try coder.unicodeText("text", &text)
  }
}
