/// The wall-clock time at which a fragment was produced.
///
/// Source: ISO/IEC 14496-12, 8.16.5.
package struct ProducerReferenceTimeBox: Box {
  package var versionAndFlags = VersionAndFlags(version: 1)
  /// The track.
  package var referenceTrackID: UInt32 = 1
  /// Seconds since the beginning of 1900, UTC, 32.32: NTP's format.
  package var ntpTimestamp: UInt64 = 0
  /// The same time in ticks of the track.
  package var mediaTime: UInt64 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    try coder.integer("reference_track_ID", &referenceTrackID)
    try coder.integer("ntp_timestamp", &ntpTimestamp)
    try coder.integer("media_time", &mediaTime, wide: versionAndFlags.version == 1)
  }
}
