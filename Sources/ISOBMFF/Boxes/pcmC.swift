/// The format of the samples of `ipcm` and `fpcm`.
///
/// Source: ISO/IEC 23003-5, 6.
package struct PCMConfigurationBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Bit 0: little-endian.
  package var formatFlags: UInt8 = 0
  /// Bits per sample.
  package var sampleSize: UInt8 = 16

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("format_flags", &formatFlags)
    try coder.integer("PCM_sample_size", &sampleSize)
  }

  /// Whether the least significant byte comes first.
  package var isLittleEndian: Bool { formatFlags & 1 != 0 }
}
