internal import MediaCore

/// Writes bytes one after another, wherever they come from: short pieces are gathered and written together, long ranges
/// of files are copied by the kernel.
struct MediaWriter: ~Copyable {
  private var gathered = PayloadGatherer(capacity: MediaWriter.gatheredSize)
  /// Bytes added so far.
  private(set) var count: UInt64 = 0

  /// Short pieces written at once; what is gathered stays in the processor's cache.
  private static let gatheredSize = 1 << 20
  /// Ranges of at least this size are left to the kernel: for shorter ones its system call costs more than copying
  /// twice.
  static let kernelCopySize = 256 << 10

  /// Bytes already passed to the sink: those added, except those still gathered.
  var written: UInt64 { count - UInt64(gathered.count) }

  /// Adds bytes without writing anything.
  ///
  /// - Returns: whether there was room for them.
  mutating func gather(_ data: MediaData) -> Bool {
    guard data.count < MediaWriter.kernelCopySize, gathered.add(data) else { return false }
    count += UInt64(data.count)
    return true
  }

  /// Adds bytes, writing what was gathered if there is no room for them.
  ///
  /// - Throws: `MP4Error` `.source`, `.sink`.
  mutating func add(_ data: MediaData, to sink: any ByteSink) throws(MP4Error) {
    if gather(data) { return }
    try flush(to: sink)
    if gather(data) { return }
    switch data {
    case .bytes(let bytes): try sink.put(bytes)
    case .range(let reader, let offset, let count):
      do throws(TransferError) {
        try sink.copy(from: reader, at: offset, count: UInt64(count))
      } catch {
        throw MP4Error(error)
      }
    }
    count += UInt64(data.count)
  }

  /// Writes what was gathered.
  ///
  /// - Throws: `MP4Error` `.source`, `.sink`.
  mutating func flush(to sink: any ByteSink) throws(MP4Error) {
    do throws(TransferError) { try gathered.write(gathered.count, to: sink) } catch { throw MP4Error(error) }
  }
}
