/// When the first sample of a track's fragment is decoded.
///
/// Source: ISO/IEC 14496-12, 8.8.12.
package struct TrackFragmentBaseMediaDecodeTimeBox: Box {
  package var versionAndFlags = VersionAndFlags(version: 1)
  /// In ticks: the sum of the durations of all earlier samples.
  package var baseMediaDecodeTime: UInt64 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("base_media_decode_time", &baseMediaDecodeTime, wide: versionAndFlags.version != 0)
  }
}
