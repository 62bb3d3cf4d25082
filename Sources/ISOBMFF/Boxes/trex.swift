/// Default properties of the samples in a track's fragments.
///
/// Source: ISO/IEC 14496-12, 8.8.3.
public struct TrackExtendsBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The track.
  public var trackID: UInt32 = 1
  /// Which sample entry applies, counted from 1.
  public var defaultSampleDescriptionIndex: UInt32 = 1
  /// In ticks.
  public var defaultSampleDuration: UInt32 = 0
  /// In bytes.
  public var defaultSampleSize: UInt32 = 0
  /// See `SampleFlags`.
  public var defaultSampleFlags: UInt32 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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
public enum SampleFlags {
  /// Decoding cannot begin at the sample.
  public static let isNonSync: UInt32 = 0x1_0000
}
