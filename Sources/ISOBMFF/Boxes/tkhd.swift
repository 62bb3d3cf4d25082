/// Properties of a track in the presentation: its number, duration, position and size.
///
/// Source: ISO/IEC 14496-12, 8.3.2.
package struct TrackHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags(flags: 3)
  /// Seconds since the beginning of 1904, UTC.
  package var creationTime: UInt64 = 0
  /// Seconds since the beginning of 1904, UTC.
  package var modificationTime: UInt64 = 0
  /// The track's number, never 0.
  package var trackID: UInt32 = 1
  /// Kept as is.
  package var reserved1: [UInt8] = []
  /// Duration with edits applied, in the movie's timescale; all ones if unknown.
  package var duration: UInt64 = 0
  /// Kept as is.
  package var reserved2: [UInt8] = []
  /// Front-to-back order of video; lower is nearer.
  package var layer: Int16 = 0
  /// Tracks of the same group, other than 0, are alternatives: only one of them is played.
  package var alternateGroup: Int16 = 0
  /// Volume, 8.8; 1 for audio, 0 otherwise.
  package var volume: Int16 = 0
  /// Kept as is.
  package var reserved3: [UInt8] = []
  /// The position of the video on the screen.
  package var matrix = MatrixField()
  /// Display width in pixels, 16.16.
  package var width: UInt32 = 0
  /// Display height in pixels, 16.16.
  package var height: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    let wide = versionAndFlags.version == 1
    try coder.integer("creation_time", &creationTime, wide: wide)
    try coder.integer("modification_time", &modificationTime, wide: wide)
    try coder.integer("track_ID", &trackID)
    try coder.reserved(&reserved1, count: 4)
    try coder.integer("duration", &duration, wide: wide)
    try coder.reserved(&reserved2, count: 8)
    try coder.integer("layer", &layer)
    try coder.integer("alternate_group", &alternateGroup)
    try coder.fixed("volume", &volume, fractionBits: 8)
    try coder.reserved(&reserved3, count: 2)
    try matrix.code(with: &coder)
    try coder.fixed("width", &width, fractionBits: 16)
    try coder.fixed("height", &height, fractionBits: 16)
  }

  /// Flag: the track is enabled.
  package static let isEnabledFlag: UInt32 = 1
}
