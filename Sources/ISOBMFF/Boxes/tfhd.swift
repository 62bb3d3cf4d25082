/// Which track a fragment's samples belong to, and what holds for them.
///
/// Source: ISO/IEC 14496-12, 8.8.7.
public struct TrackFragmentHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The track.
  public var trackID: UInt32 = 1
  /// What data offsets count from, as an offset in the file.
  public var baseDataOffset: UInt64 = 0
  /// Which sample entry applies, counted from 1.
  public var sampleDescriptionIndex: UInt32 = 1
  /// Ticks.
  public var defaultSampleDuration: UInt32 = 0
  /// Bytes.
  public var defaultSampleSize: UInt32 = 0
  /// See `SampleFlags`.
  public var defaultSampleFlags: UInt32 = 0

  /// Which fields are there, and two statements that need no field.
  public enum Flag {
    /// `base_data_offset` is there.
    public static let baseDataOffset: UInt32 = 0x1
    /// `sample_description_index` is there.
    public static let sampleDescriptionIndex: UInt32 = 0x2
    /// `default_sample_duration` is there.
    public static let defaultSampleDuration: UInt32 = 0x8
    /// `default_sample_size` is there.
    public static let defaultSampleSize: UInt32 = 0x10
    /// `default_sample_flags` is there.
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
