/// Default properties of the samples in a track's fragments.
///
/// Source: ISO/IEC 14496-12, 8.8.3.
package struct TrackExtendsBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The track.
  package var trackID: UInt32 = 1
  /// Which sample entry applies, counted from 1.
  package var defaultSampleDescriptionIndex: UInt32 = 1
  /// In ticks.
  package var defaultSampleDuration: UInt32 = 0
  /// In bytes.
  package var defaultSampleSize: UInt32 = 0
  /// See `SampleFlags`.
  package var defaultSampleFlags: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("track_ID", &trackID)
    try coder.integer("default_sample_description_index", &defaultSampleDescriptionIndex)
    try coder.integer("default_sample_duration", &defaultSampleDuration)
    try coder.integer("default_sample_size", &defaultSampleSize)
    try coder.integer("default_sample_flags", &defaultSampleFlags)
  }
}

/// The bits of a sample's flags in fragments.
///
/// Source: ISO/IEC 14496-12, 8.8.3.1.
package enum SampleFlags {
  /// Decoding cannot begin at the sample.
  package static let isNonSync: UInt32 = 0x1_0000
}
