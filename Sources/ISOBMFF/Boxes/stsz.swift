/// The size of each sample in bytes.
///
/// Source: ISO/IEC 14496-12, 8.7.3.2.
public struct SampleSizeBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The size of every sample, or 0 if sizes differ.
  public var sampleSize: UInt32 = 0
  /// Number of samples.
  public var sampleCount: UInt32 = 0
  /// The size of each sample, if they differ.
  public var sizes = PackedTable<UInt32>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sample_size", &sampleSize)
    try coder.integer("sample_count", &sampleCount)
    if sampleSize == 0 { try coder.table("sizes", &sizes, count: UInt64(sampleCount)) }
  }
}
