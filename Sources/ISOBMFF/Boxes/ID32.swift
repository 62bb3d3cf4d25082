/// Tags in the format of MP3 files.
///
/// Source: Embedding ID3 in ISO Base Media Files (id3.org).
package struct ID3v2Box: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Three letters of five bits each; see `LanguageCode`.
  package var language: UInt16 = 0x55C4
  /// An ID3v2 tag.
  package var tag: ArraySlice<UInt8> = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.language(&language)
    try coder.slice("ID3v2_data", &tag, count: coder.remaining)
  }
}
