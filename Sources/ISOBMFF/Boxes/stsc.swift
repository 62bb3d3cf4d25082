public import MediaCore

/// How many samples each chunk holds, run by run.
///
/// Source: ISO/IEC 14496-12, 8.7.4.
public struct SampleToChunkBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Runs of chunks with the same number of samples.
  public var runs = PackedTable<SampleToChunkEntry>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("entries", &runs)
  }
}

/// A run of chunks, up to where the next entry begins.
public struct SampleToChunkEntry: TableEntry {
  /// The first chunk of the run, counted from 1.
  public var firstChunk: UInt32
  /// Samples in each chunk.
  public var samplesPerChunk: UInt32
  /// Which sample entry applies, counted from 1.
  public var sampleDescriptionIndex: UInt32

  public static let size = 12
  public static let columns = ["first_chunk", "samples_per_chunk", "sample_description_index"]

  /// An entry from its columns.
  public init(firstChunk: UInt32, samplesPerChunk: UInt32, sampleDescriptionIndex: UInt32) {
    self.firstChunk = firstChunk
    self.samplesPerChunk = samplesPerChunk
    self.sampleDescriptionIndex = sampleDescriptionIndex
  }

  @inlinable
  public init(_ bytes: RawSpan, at offset: Int) {
    firstChunk = bytes.bigEndian(at: offset)
    samplesPerChunk = bytes.bigEndian(at: offset + 4)
    sampleDescriptionIndex = bytes.bigEndian(at: offset + 8)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(firstChunk)
    bytes.appendBigEndian(samplesPerChunk)
    bytes.appendBigEndian(sampleDescriptionIndex)
  }

  public var values: [Int64] { [Int64(firstChunk), Int64(samplesPerChunk), Int64(sampleDescriptionIndex)] }
}
