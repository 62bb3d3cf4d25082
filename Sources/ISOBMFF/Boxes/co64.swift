/// The offset of each chunk in the file, in 64 bits.
///
/// Source: ISO/IEC 14496-12, 8.7.5.
public struct ChunkLargeOffsetBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Offsets from the start of the file.
  public var offsets = PackedTable<UInt64>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("chunk_offsets", &offsets)
  }
}
