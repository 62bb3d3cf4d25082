/// General properties of a track's media: its clock, length and language.
///
/// Source: ISO/IEC 14496-12, 8.4.2.
package struct MediaHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Seconds since the beginning of 1904, UTC.
  package var creationTime: UInt64 = 0
  /// Seconds since the beginning of 1904, UTC.
  package var modificationTime: UInt64 = 0
  /// Ticks per second of the track's samples.
  package var timescale: UInt32 = 1
  /// Length of the media in ticks, edits not applied; all ones if unknown.
  package var duration: UInt64 = 0
  /// Three letters of five bits each, or, below 0x400, a QuickTime language number.
  package var language: UInt16 = 0x55C4
  /// QuickTime's playback quality; otherwise 0.
  package var preDefined: UInt16 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    let wide = versionAndFlags.version == 1
    try coder.integer("creation_time", &creationTime, wide: wide)
    try coder.integer("modification_time", &modificationTime, wide: wide)
    try coder.integer("timescale", &timescale)
    try coder.integer("duration", &duration, wide: wide)
    try coder.integer("language", &language)
    coder.remark("language_code", .text(languageCode))
    try coder.integer("pre_defined", &preDefined)
  }

  /// The language as an ISO 639-2/T code; `und` if it is missing or not printable.
  package var languageCode: String {
    LanguageCode.text(language)
  }
}
