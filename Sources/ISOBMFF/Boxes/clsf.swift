package import MediaCore

/// The classification of a file's content, according to some table.
///
/// Source: 3GPP TS 26.244, 8.
package struct ClassificationBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The classification authority.
  package var entity: FourCC = "    "
  /// The number of the table.
  package var table: UInt16 = 0
  /// Three letters of five bits each; see `LanguageCode`.
  package var language: UInt16 = 0x55C4
  /// UTF-8, or UTF-16 after a byte order mark.
  package var classification = BoxText()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("classificationentity", &entity)
    try coder.integer("classificationtable", &table)
    try coder.language(&language)
    try coder.unicodeText("classificationinfo", &classification)
  }
}
