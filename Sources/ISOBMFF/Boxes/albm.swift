/// The album that a file is part of.
///
/// Source: 3GPP TS 26.244, 8.
public struct AlbumBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Three letters of five bits each; see `LanguageCode`.
  public var language: UInt16 = 0x55C4
  /// The album's title: UTF-8, or UTF-16 after a byte order mark.
  public var title = BoxText()
  /// Track number on the album, counted from 1.
  public var trackNumber: UInt8 = 0
  /// Whether the track number is present.
  public var hasTrackNumber = false

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.language(&language)
    try coder.unicodeText("albumtitle", &title)
    if coder.isPresent(&hasTrackNumber) { try coder.integer("tracknumber", &trackNumber) }
  }
}
