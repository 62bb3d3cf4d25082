/// How many bits at the end of each sample are padding.
///
/// Source: ISO/IEC 14496-12, 8.7.6.
package struct PaddingBitsBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Number of samples.
  package var sampleCount: UInt32 = 0
  /// The number of padding bits, half a byte per sample, the first sample in the upper half.
  package var packed: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sample_count", &sampleCount)
    try coder.bytes("pads", &packed, count: (Int(sampleCount) + 1) / 2)
  }
}
