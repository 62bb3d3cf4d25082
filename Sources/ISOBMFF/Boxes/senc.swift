/// The initialization vector of each sample, and which parts of it are clear.
///
/// The length of the vectors is stored elsewhere, in `tenc` or in a sample group, so the samples' data is kept as is.
///
/// Source: ISO/IEC 23001-7, 7.2.
package struct SampleEncryptionBox: Box {
  /// Flag 2 means that samples have clear parts.
  package var versionAndFlags = VersionAndFlags()
  /// Number of samples.
  package var sampleCount: UInt32 = 0
  /// Vector, number of parts (16 bits), and for each part the numbers of clear bytes (16 bits) and encrypted bytes (32
  /// bits).
  package var samples: ArraySlice<UInt8> = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sample_count", &sampleCount)
    try coder.slice("samples", &samples, count: coder.remaining)
  }
}
