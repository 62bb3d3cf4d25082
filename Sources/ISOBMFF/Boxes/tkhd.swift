/// What holds for a track in the presentation: its number, length, place and size.
///
/// Source: ISO/IEC 14496-12, 8.3.2.
public struct TrackHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags(flags: 3)
  /// Seconds since the beginning of 1904, UTC.
  public var creationTime: UInt64 = 0
  /// Seconds since the beginning of 1904, UTC.
  public var modificationTime: UInt64 = 0
  /// The track's number, never 0.
  public var trackID: UInt32 = 1
  /// Kept as it is.
  public var reserved1: [UInt8] = []
  /// Length with edits applied, in the movie's timescale; all ones where it is not known.
  public var duration: UInt64 = 0
  /// Kept as it is.
  public var reserved2: [UInt8] = []
  /// Front to back order of pictures; lower is nearer.
  public var layer: Int16 = 0
  /// Tracks of the same group, other than 0, are alternatives of which one plays.
  public var alternateGroup: Int16 = 0
  /// Loudness, 8.8; 1 for sound, 0 otherwise.
  public var volume: Int16 = 0
  /// Kept as it is.
  public var reserved3: [UInt8] = []
  /// Where pictures go on the screen.
  public var matrix = MatrixField()
  /// Width to show pictures at, 16.16.
  public var width: UInt32 = 0
  /// Height to show pictures at, 16.16.
  public var height: UInt32 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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

  /// Flag: the track takes part in the presentation.
  public static let isEnabledFlag: UInt32 = 1
}
