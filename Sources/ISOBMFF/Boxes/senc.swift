/// The initialization vector of each sample, and which parts of it are clear.
///
/// How long the vectors are is said elsewhere, in `tenc` or in a sample group, so the samples' data is kept as it is.
///
/// Source: ISO/IEC 23001-7, 7.2.
public struct SampleEncryptionBox: Box {
  /// Flag 2 says that samples have clear parts.
  public var versionAndFlags = VersionAndFlags()
  /// How many samples there are.
  public var sampleCount: UInt32 = 0
  /// Vector, number of parts (16 bits), and for each part bytes clear (16 bits) and encrypted (32 bits).
  public var samples: ArraySlice<UInt8> = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sample_count", &sampleCount)
    try coder.slice("samples", &samples, count: coder.remaining)
  }
}
