/// The size of each sample, in 4, 8 or 16 bits.
///
/// Source: ISO/IEC 14496-12, 8.7.3.3.
package struct CompactSampleSizeBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Kept as is.
  package var reserved: [UInt8] = []
  /// Width of a size in bits: 4, 8 or 16.
  package var fieldSize: UInt8 = 16
  /// Number of samples.
  package var sampleCount: UInt32 = 0
  /// The sizes, packed; with two in a byte, the first is in the upper half.
  package var packedSizes: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.reserved(&reserved, count: 3)
    try coder.integer("field_size", &fieldSize)
    try coder.integer("sample_count", &sampleCount)
    let size = (UInt64(sampleCount) * UInt64(fieldSize) + 7) / 8
    if coder.isReading, size > UInt64(coder.remaining) {
      throw BoxError(
        .countExceedsBox(claimed: UInt64(sampleCount), room: UInt64(coder.remaining)), field: "sample_count")
    }
    try coder.bytes("sizes", &packedSizes, count: Int(size))
  }
}
