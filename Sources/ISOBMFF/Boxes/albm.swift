/// The album that a file is part of.
///
/// Source: 3GPP TS 26.244, 8.
package struct AlbumBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Three letters of five bits each; see `LanguageCode`.
  package var language: UInt16 = 0x55C4
  /// The album's title: UTF-8, or UTF-16 after a byte order mark.
  package var title = BoxText()
  /// Track number on the album, counted from 1.
  package var trackNumber: UInt8 = 0
  /// Whether the track number is present.
  package var hasTrackNumber = false

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.language(&language)
    try coder.unicodeText("albumtitle", &title)
    if coder.isPresent(&hasTrackNumber) { try coder.integer("tracknumber", &trackNumber) }
  }
}
