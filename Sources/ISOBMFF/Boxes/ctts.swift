internal import MediaCore

/// How long after decoding each sample is shown, run by run.
///
/// Source: ISO/IEC 14496-12, 8.6.1.3.
package struct CompositionOffsetBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Runs of samples with equal offsets, in decoding order.
  package var runs = PackedTable<CompositionOffsetEntry>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("entries", &runs)
  }
}

/// Consecutive samples with the same offset.
package struct CompositionOffsetEntry: TableEntry {
  /// Number of samples.
  package var sampleCount: UInt32
  /// Ticks from decoding to showing. Version 0 is unsigned in the standard, but files hold negative numbers in it too.
  package var sampleOffset: Int32

  package static let size = 8
  package static let columns = ["sample_count", "sample_offset"]

  /// An entry from its columns.
  package init(sampleCount: UInt32, sampleOffset: Int32) {
    self.sampleCount = sampleCount
    self.sampleOffset = sampleOffset
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    sampleCount = bytes.bigEndian(at: offset)
    sampleOffset = bytes.bigEndian(at: offset + 4)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(sampleCount)
    bytes.appendBigEndian(sampleOffset)
  }

  package var values: [Int64] { [Int64(sampleCount), Int64(sampleOffset)] }
}
