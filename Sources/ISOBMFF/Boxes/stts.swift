public import MediaCore

/// How long each sample lasts until the next is decoded, run by run.
///
/// Source: ISO/IEC 14496-12, 8.6.1.2.
public struct TimeToSampleBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Runs of samples with equal durations, in decoding order.
  public var runs = PackedTable<TimeToSampleEntry>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("entries", &runs)
  }
}

/// Consecutive samples of equal duration.
public struct TimeToSampleEntry: TableEntry {
  /// Number of samples.
  public var sampleCount: UInt32
  /// Ticks from the decoding of one sample to that of the next. Old QuickTime files hold negative numbers.
  public var sampleDelta: UInt32

  public static let size = 8
  public static let columns = ["sample_count", "sample_delta"]

  /// An entry from its columns.
  public init(sampleCount: UInt32, sampleDelta: UInt32) {
    self.sampleCount = sampleCount
    self.sampleDelta = sampleDelta
  }

  @inlinable
  public init(_ bytes: RawSpan, at offset: Int) {
    sampleCount = bytes.bigEndian(at: offset)
    sampleDelta = bytes.bigEndian(at: offset + 4)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(sampleCount)
    bytes.appendBigEndian(sampleDelta)
  }

  public var values: [Int64] { [Int64(sampleCount), Int64(sampleDelta)] }
}
