/// The format of the samples of `ipcm` and `fpcm`.
///
/// Source: ISO/IEC 23003-5, 6.
public struct PCMConfigurationBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Bit 0: little-endian.
  public var formatFlags: UInt8 = 0
  /// Bits per sample.
  public var sampleSize: UInt8 = 16

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("format_flags", &formatFlags)
    try coder.integer("PCM_sample_size", &sampleSize)
  }

  /// Whether the least significant byte comes first.
  public var isLittleEndian: Bool { formatFlags & 1 != 0 }
}
