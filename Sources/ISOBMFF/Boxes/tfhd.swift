/// Which track a fragment's samples belong to, and their default properties.
///
/// Source: ISO/IEC 14496-12, 8.8.7.
public struct TrackFragmentHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The track.
  public var trackID: UInt32 = 1
  /// The file offset from which data offsets count.
  public var baseDataOffset: UInt64 = 0
  /// Which sample entry applies, counted from 1.
  public var sampleDescriptionIndex: UInt32 = 1
  /// In ticks.
  public var defaultSampleDuration: UInt32 = 0
  /// In bytes.
  public var defaultSampleSize: UInt32 = 0
  /// See `SampleFlags`.
  public var defaultSampleFlags: UInt32 = 0

  /// Which fields are present, and two properties that need no field.
  public enum Flag {
    /// `base_data_offset` is present.
    public static let baseDataOffset: UInt32 = 0x1
    /// `sample_description_index` is present.
    public static let sampleDescriptionIndex: UInt32 = 0x2
    /// `default_sample_duration` is present.
    public static let defaultSampleDuration: UInt32 = 0x8
    /// `default_sample_size` is present.
    public static let defaultSampleSize: UInt32 = 0x10
    /// `default_sample_flags` is present.
    public static let defaultSampleFlags: UInt32 = 0x20
    /// The track has no samples for this time.
    public static let durationIsEmpty: UInt32 = 0x1_0000
    /// Data offsets count from the start of the `moof` box.
    public static let defaultBaseIsMoof: UInt32 = 0x2_0000
  }

  public init() {}

  /// Whether a flag is set.
  public func has(_ flag: UInt32) -> Bool { versionAndFlags.flags & flag != 0 }

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("track_ID", &trackID)
    if has(Flag.baseDataOffset) { try coder.integer("base_data_offset", &baseDataOffset) }
    if has(Flag.sampleDescriptionIndex) { try coder.integer("sample_description_index", &sampleDescriptionIndex) }
    if has(Flag.defaultSampleDuration) { try coder.integer("default_sample_duration", &defaultSampleDuration) }
    if has(Flag.defaultSampleSize) { try coder.integer("default_sample_size", &defaultSampleSize) }
    if has(Flag.defaultSampleFlags) { try coder.integer("default_sample_flags", &defaultSampleFlags) }
  }
}
