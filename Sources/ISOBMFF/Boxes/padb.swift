/// How many bits at the end of each sample are padding.
///
/// Source: ISO/IEC 14496-12, 8.7.6.
public struct PaddingBitsBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Number of samples.
  public var sampleCount: UInt32 = 0
  /// The number of padding bits, half a byte per sample, the first sample in the upper half.
  public var packed: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sample_count", &sampleCount)
    try coder.bytes("pads", &packed, count: (Int(sampleCount) + 1) / 2)
  }
}
