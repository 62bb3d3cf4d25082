internal import MediaCore

/// Writes samples one behind another, wherever they lie: short ones are gathered and written together, long ones in
/// files are copied by the kernel.
struct MediaWriter: ~Copyable {
  private var gathered = PayloadGatherer(capacity: MediaWriter.gatheredSize)
  /// Bytes added so far.
  private(set) var count: UInt64 = 0

  /// Short samples written at once; what is gathered stays in the processor's cache.
  private static let gatheredSize = 1 << 20
  /// Ranges from this size on are left to the kernel.
  private static let kernelCopySize = 256 << 10

  /// Adds a sample without writing anything.
  ///
  /// - Returns: whether there was room for it.
  mutating func gather(_ data: MediaData) -> Bool {
    guard data.count < MediaWriter.kernelCopySize, gathered.add(data) else { return false }
    count += UInt64(data.count)
    return true
  }

  /// Adds a sample, and writes where there is no room for it.
  ///
  /// - Throws: `MP4Error` `.source`, `.sink`.
  mutating func add(_ data: MediaData, to sink: any ByteSink) throws(MP4Error) {
    if gather(data) { return }
    try flush(to: sink)
    if gather(data) { return }
    count += UInt64(data.count)
    switch data {
    case .bytes(let bytes):
      do throws(SinkError) { try sink.write(bytes) } catch { throw MP4Error(.sink(error), file: error.name) }
    case .range(let reader, let offset, let count):
      do throws(TransferError) {
        try sink.copy(from: reader, at: offset, count: UInt64(count))
      } catch {
        throw MP4Error(error)
      }
    }
  }

  /// Writes what was gathered.
  mutating func flush(to sink: any ByteSink) throws(MP4Error) {
    try gathered.flush(to: sink)
  }
}
