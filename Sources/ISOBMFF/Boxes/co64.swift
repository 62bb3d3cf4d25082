/// The offset of each chunk in the file, in 64 bits.
///
/// Source: ISO/IEC 14496-12, 8.7.5.
package struct ChunkLargeOffsetBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Offsets from the start of the file.
  package var offsets = PackedTable<UInt64>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("chunk_offsets", &offsets)
  }
}
