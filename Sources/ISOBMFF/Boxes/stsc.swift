internal import MediaCore

/// How many samples each chunk holds, run by run.
///
/// Source: ISO/IEC 14496-12, 8.7.4.
package struct SampleToChunkBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Runs of chunks with the same number of samples.
  package var runs = PackedTable<SampleToChunkEntry>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("entries", &runs)
  }
}

/// A run of chunks, up to where the next entry begins.
package struct SampleToChunkEntry: TableEntry {
  /// The first chunk of the run, counted from 1.
  package var firstChunk: UInt32
  /// Samples in each chunk.
  package var samplesPerChunk: UInt32
  /// Which sample entry applies, counted from 1.
  package var sampleDescriptionIndex: UInt32

  package static let size = 12
  package static let columns = ["first_chunk", "samples_per_chunk", "sample_description_index"]

  /// An entry from its columns.
  package init(firstChunk: UInt32, samplesPerChunk: UInt32, sampleDescriptionIndex: UInt32) {
    self.firstChunk = firstChunk
    self.samplesPerChunk = samplesPerChunk
    self.sampleDescriptionIndex = sampleDescriptionIndex
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    firstChunk = bytes.bigEndian(at: offset)
    samplesPerChunk = bytes.bigEndian(at: offset + 4)
    sampleDescriptionIndex = bytes.bigEndian(at: offset + 8)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(firstChunk)
    bytes.appendBigEndian(samplesPerChunk)
    bytes.appendBigEndian(sampleDescriptionIndex)
  }

  package var values: [Int64] { [Int64(firstChunk), Int64(samplesPerChunk), Int64(sampleDescriptionIndex)] }
}
