internal import MediaCore

/// How long to wait before playing a file that is still being downloaded.
///
/// Source: ISO/IEC 14496-12, 8.1.3.
package struct ProgressiveDownloadInformationBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Download rates, and the delay for each.
  package var delays = PackedTable<ProgressiveDownloadDelay>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    let count = coder.isReading ? coder.remaining / ProgressiveDownloadDelay.size : delays.count
    try coder.table("delays", &delays, count: UInt64(count))
  }
}

/// The delay for a download rate.
package struct ProgressiveDownloadDelay: TableEntry {
  /// Download rate in bytes per second.
  package var rate: UInt32
  /// Delay in milliseconds.
  package var initialDelay: UInt32

  package static let size = 8
  package static let columns = ["rate", "initial_delay"]

  /// A delay at a rate.
  package init(rate: UInt32, initialDelay: UInt32) {
    self.rate = rate
    self.initialDelay = initialDelay
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    rate = bytes.bigEndian(at: offset)
    initialDelay = bytes.bigEndian(at: offset + 4)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(rate)
    bytes.appendBigEndian(initialDelay)
  }

  package var values: [Int64] { [Int64(rate), Int64(initialDelay)] }
}
