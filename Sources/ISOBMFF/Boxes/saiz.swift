/// How many bytes of auxiliary information each sample has: in encryption, its initialization vector and clear parts.
///
/// Source: ISO/IEC 14496-12, 8.7.8.
package struct SampleAuxiliaryInformationSizesBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The kind of information, if flag 1 is set.
  package var type = AuxiliaryInformationType()
  /// The size for every sample, or 0 if sizes differ.
  package var defaultSize: UInt8 = 0
  /// Number of samples.
  package var sampleCount: UInt32 = 0
  /// The size for each sample, if they differ.
  package var sizes: ArraySlice<UInt8> = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    if versionAndFlags.flags & 1 != 0 { try type.code(with: &coder) }
    try coder.integer("default_sample_info_size", &defaultSize)
    try coder.integer("sample_count", &sampleCount)
    if defaultSize == 0 { try coder.slice("sample_info_sizes", &sizes, count: Int(sampleCount)) }
  }
}
