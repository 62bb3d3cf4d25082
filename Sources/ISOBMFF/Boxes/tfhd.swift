/// Which track a fragment's samples belong to, and their default properties.
///
/// Source: ISO/IEC 14496-12, 8.8.7.
package struct TrackFragmentHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The track.
  package var trackID: UInt32 = 1
  /// The file offset from which data offsets count.
  package var baseDataOffset: UInt64 = 0
  /// Which sample entry applies, counted from 1.
  package var sampleDescriptionIndex: UInt32 = 1
  /// In ticks.
  package var defaultSampleDuration: UInt32 = 0
  /// In bytes.
  package var defaultSampleSize: UInt32 = 0
  /// See `SampleFlags`.
  package var defaultSampleFlags: UInt32 = 0

  /// Which fields are present, and two properties that need no field.
  package enum Flag {
    /// `base_data_offset` is present.
    package static let baseDataOffset: UInt32 = 0x1
    /// `sample_description_index` is present.
    package static let sampleDescriptionIndex: UInt32 = 0x2
    /// `default_sample_duration` is present.
    package static let defaultSampleDuration: UInt32 = 0x8
    /// `default_sample_size` is present.
    package static let defaultSampleSize: UInt32 = 0x10
    /// `default_sample_flags` is present.
    package static let defaultSampleFlags: UInt32 = 0x20
    /// Data offsets count from the start of the `moof` box.
    package static let defaultBaseIsMoof: UInt32 = 0x2_0000
  }

  package init() {}

  /// Whether a flag is set.
  package func has(_ flag: UInt32) -> Bool { versionAndFlags.flags & flag != 0 }

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("track_ID", &trackID)
    if has(Flag.baseDataOffset) { try coder.integer("base_data_offset", &baseDataOffset) }
    if has(Flag.sampleDescriptionIndex) { try coder.integer("sample_description_index", &sampleDescriptionIndex) }
    if has(Flag.defaultSampleDuration) { try coder.integer("default_sample_duration", &defaultSampleDuration) }
    if has(Flag.defaultSampleSize) { try coder.integer("default_sample_size", &defaultSampleSize) }
    if has(Flag.defaultSampleFlags) { try coder.integer("default_sample_flags", &defaultSampleFlags) }
  }
}
