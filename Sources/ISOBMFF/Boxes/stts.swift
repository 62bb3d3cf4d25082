internal import MediaCore

/// How long each sample lasts until the next is decoded, run by run.
///
/// Source: ISO/IEC 14496-12, 8.6.1.2.
package struct TimeToSampleBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Runs of samples with equal durations, in decoding order.
  package var runs = PackedTable<TimeToSampleEntry>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("entries", &runs)
  }
}

/// Consecutive samples of equal duration.
package struct TimeToSampleEntry: TableEntry {
  /// Number of samples.
  package var sampleCount: UInt32
  /// Ticks from the decoding of one sample to that of the next. Old QuickTime files hold negative numbers.
  package var sampleDelta: UInt32

  package static let size = 8
  package static let columns = ["sample_count", "sample_delta"]

  /// An entry from its columns.
  package init(sampleCount: UInt32, sampleDelta: UInt32) {
    self.sampleCount = sampleCount
    self.sampleDelta = sampleDelta
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    sampleCount = bytes.bigEndian(at: offset)
    sampleDelta = bytes.bigEndian(at: offset + 4)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(sampleCount)
    bytes.appendBigEndian(sampleDelta)
  }

  package var values: [Int64] { [Int64(sampleCount), Int64(sampleDelta)] }
}
