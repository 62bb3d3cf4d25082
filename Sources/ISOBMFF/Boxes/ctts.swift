public import MediaCore

/// How long after decoding each sample is shown, run by run.
///
/// Source: ISO/IEC 14496-12, 8.6.1.3.
public struct CompositionOffsetBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Runs of samples with equal offsets, in decoding order.
  public var runs = PackedTable<CompositionOffsetEntry>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("entries", &runs)
  }
}

/// Consecutive samples with the same offset.
public struct CompositionOffsetEntry: TableEntry {
  /// Number of samples.
  public var sampleCount: UInt32
  /// Ticks from decoding to showing. Version 0 is unsigned in the standard, but files hold negative numbers in it too.
  public var sampleOffset: Int32

  public static let size = 8
  public static let columns = ["sample_count", "sample_offset"]

  /// An entry from its columns.
  public init(sampleCount: UInt32, sampleOffset: Int32) {
    self.sampleCount = sampleCount
    self.sampleOffset = sampleOffset
  }

  @inlinable
  public init(_ bytes: RawSpan, at offset: Int) {
    sampleCount = bytes.bigEndian(at: offset)
    sampleOffset = bytes.bigEndian(at: offset + 4)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(sampleCount)
    bytes.appendBigEndian(sampleOffset)
  }

  public var values: [Int64] { [Int64(sampleCount), Int64(sampleOffset)] }
}
