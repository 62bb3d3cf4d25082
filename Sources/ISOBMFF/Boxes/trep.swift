/// Further properties of a track's fragments, in child boxes.
///
/// Source: ISO/IEC 14496-12, 8.8.15.
package struct TrackExtensionPropertiesBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The track.
  package var trackID: UInt32 = 1

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("track_ID", &trackID)
  }
}
