public import MediaCore

/// A content rating.
///
/// Source: 3GPP TS 26.244, 8.
public struct RatingBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The rating authority.
  public var entity: FourCC = "    "
  /// The criteria of the rating.
  public var criteria: FourCC = "    "
  /// Three letters of five bits each; see `LanguageCode`.
  public var language: UInt16 = 0x55C4
  /// UTF-8, or UTF-16 after a byte order mark.
  public var rating = BoxText()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("ratingentity", &entity)
    try coder.fourCC("ratingcriteria", &criteria)
    try coder.language(&language)
    try coder.unicodeText("ratinginfo", &rating)
  }
}
