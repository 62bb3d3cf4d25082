/// General properties of the whole movie: its clock and its length.
///
/// Source: ISO/IEC 14496-12, 8.2.2.
package struct MovieHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Seconds since the beginning of 1904, UTC.
  package var creationTime: UInt64 = 0
  /// Seconds since the beginning of 1904, UTC.
  package var modificationTime: UInt64 = 0
  /// Ticks per second of the movie's own clock, which edit lists count in.
  package var timescale: UInt32 = 1000
  /// Length of the longest track; all ones if unknown.
  package var duration: UInt64 = 0
  /// Playback rate, 16.16; 1 is normal.
  package var rate: Int32 = 0x10000
  /// Volume, 8.8; 1 is full.
  package var volume: Int16 = 0x100
  /// Kept as is.
  package var reserved: [UInt8] = []
  /// The position of the video on the screen; see `Transform`.
  package var matrix = MatrixField()
  /// Kept as is: QuickTime's preview and selection times.
  package var preDefined: [UInt8] = []
  /// Larger than every track's identifier; all ones if whoever adds a track has to look for a free one.
  package var nextTrackID: UInt32 = 1

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    let wide = versionAndFlags.version == 1
    try coder.integer("creation_time", &creationTime, wide: wide)
    try coder.integer("modification_time", &modificationTime, wide: wide)
    try coder.integer("timescale", &timescale)
    try coder.integer("duration", &duration, wide: wide)
    try coder.fixed("rate", &rate, fractionBits: 16)
    try coder.fixed("volume", &volume, fractionBits: 8)
    try coder.reserved(&reserved, count: 10)
    try matrix.code(with: &coder)
    try coder.reserved(&preDefined, count: 24)
    try coder.integer("next_track_ID", &nextTrackID)
  }
}

extension MovieHeaderBox {
  /// Makes sure that the next track which is added to the movie gets a higher identifier than this one.
  package mutating func reserve(trackID: UInt32) {
    nextTrackID = max(nextTrackID, trackID < .max ? trackID + 1 : trackID)
  }

  /// When the movie was made, in seconds since the beginning of 1970, UTC; `nil` for 0, which means unknown, and for
  /// times after the year 9999.
  ///
  /// Times count from 1904. One that would be before 1970 is from a writer that counted from 1970: there were no such
  /// movies.
  package var creationTimeSince1970: Int64? {
    guard creationTime > 0 else { return nil }
    let seconds =
      creationTime < MovieHeaderBox.from1904To1970 ? creationTime : creationTime - MovieHeaderBox.from1904To1970
    return seconds < MovieHeaderBox.beginningOf10000 ? Int64(seconds) : nil
  }

  /// A time since the beginning of 1970 as boxes count it, since 1904; `nil` before 1970, and after the year 9999.
  package static func since1904(_ seconds: Int64) -> UInt64? {
    guard let seconds = UInt64(exactly: seconds), seconds < beginningOf10000 else { return nil }
    return seconds + from1904To1970
  }

  /// Seconds in 66 years, of which 17 were leap years.
  private static let from1904To1970: UInt64 = (66 * 365 + 17) * 86_400
  /// Seconds from 1970 to the end of four-digit years: 8030 years with 1947 leap days.
  private static let beginningOf10000: UInt64 = (8030 * 365 + 1947) * 86_400
}
