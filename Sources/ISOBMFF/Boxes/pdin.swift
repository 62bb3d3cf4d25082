internal import MediaCore

/// How long to wait before playing a file that is still arriving.
///
/// Source: ISO/IEC 14496-12, 8.1.3.
public struct ProgressiveDownloadInformationBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Rates and the wait at each.
  public var delays = PackedTable<ProgressiveDownloadDelay>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    let count = coder.isReading ? coder.remaining / ProgressiveDownloadDelay.size : delays.count
    try coder.table("delays", &delays, count: UInt64(count))
  }
}

/// How long to wait at a rate.
public struct ProgressiveDownloadDelay: TableEntry {
  /// Bytes a second that arrive.
  public var rate: UInt32
  /// Milliseconds to wait.
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
