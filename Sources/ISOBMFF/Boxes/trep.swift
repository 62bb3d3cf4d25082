/// Further properties of a track's fragments, in child boxes.
///
/// Source: ISO/IEC 14496-12, 8.8.15.
public struct TrackExtensionPropertiesBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The track.
  public var trackID: UInt32 = 1

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("track_ID", &trackID)
  }
}
