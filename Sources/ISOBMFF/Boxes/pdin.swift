internal import MediaCore

/// How long to wait before playing a file that is still being downloaded.
///
/// Source: ISO/IEC 14496-12, 8.1.3.
public struct ProgressiveDownloadInformationBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Download rates, and the delay for each.
  public var delays = PackedTable<ProgressiveDownloadDelay>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    let count = coder.isReading ? coder.remaining / ProgressiveDownloadDelay.size : delays.count
    try coder.table("delays", &delays, count: UInt64(count))
  }
}

/// The delay for a download rate.
public struct ProgressiveDownloadDelay: TableEntry {
  /// Download rate in bytes per second.
  public var rate: UInt32
  /// Delay in milliseconds.
  public var initialDelay: UInt32

  public static let size = 8
  public static let columns = ["rate", "initial_delay"]

  /// A delay at a rate.
  public init(rate: UInt32, initialDelay: UInt32) {
    self.rate = rate
    self.initialDelay = initialDelay
  }

  public init(_ bytes: RawSpan, at offset: Int) {
    rate = bytes.bigEndian(at: offset)
    initialDelay = bytes.bigEndian(at: offset + 4)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(rate)
    bytes.appendBigEndian(initialDelay)
  }

  public var values: [Int64] { [Int64(rate), Int64(initialDelay)] }
}
