public import MediaCore

/// The classification of a file's content, according to some table.
///
/// Source: 3GPP TS 26.244, 8.
public struct ClassificationBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The classification authority.
  public var entity: FourCC = "    "
  /// The number of the table.
  public var table: UInt16 = 0
  /// Three letters of five bits each; see `LanguageCode`.
  public var language: UInt16 = 0x55C4
  /// UTF-8, or UTF-16 after a byte order mark.
  public var classification = BoxText()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("classificationentity", &entity)
    try coder.integer("classificationtable", &table)
    try coder.language(&language)
    try coder.unicodeText("classificationinfo", &classification)
  }
}
