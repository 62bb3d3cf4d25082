/// The size of each sample in bytes.
///
/// Source: ISO/IEC 14496-12, 8.7.3.2.
package struct SampleSizeBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The size of every sample, or 0 if sizes differ.
  package var sampleSize: UInt32 = 0
  /// Number of samples.
  package var sampleCount: UInt32 = 0
  /// The size of each sample, if they differ.
  package var sizes = PackedTable<UInt32>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sample_size", &sampleSize)
    try coder.integer("sample_count", &sampleCount)
    if sampleSize == 0 { try coder.table("sizes", &sizes, count: UInt64(sampleCount)) }
  }
}
