package import MediaCore

/// A content rating.
///
/// Source: 3GPP TS 26.244, 8.
package struct RatingBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The rating authority.
  package var entity: FourCC = "    "
  /// The criteria of the rating.
  package var criteria: FourCC = "    "
  /// Three letters of five bits each; see `LanguageCode`.
  package var language: UInt16 = 0x55C4
  /// UTF-8, or UTF-16 after a byte order mark.
  package var rating = BoxText()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("ratingentity", &entity)
    try coder.fourCC("ratingcriteria", &criteria)
    try coder.language(&language)
    try coder.unicodeText("ratinginfo", &rating)
  }
}
