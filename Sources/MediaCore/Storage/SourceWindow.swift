/// A stretch of a source held in memory, moved along as reading proceeds.
///
/// The tables of a movie can be larger than anyone wants in memory, and are read front to back: with a window of a few
/// kilobytes their memory cost is constant, and one system call serves thousands of entries.
package struct SourceWindow: Sendable {
  private let reader: SourceReader
  private let capacity: Int
  private var buffer: [UInt8] = []
  private var start: UInt64 = 0

  /// A window of up to `capacity` bytes over a source.
  package init(_ reader: SourceReader, capacity: Int) {
    self.reader = reader
    self.capacity = max(capacity, 1)
  }

  /// `count` bytes from `offset` on, fewer only where the source ends.
  ///
  /// - Parameter limit: an offset that reading ahead need not go past.
  package mutating func bytes(at offset: UInt64, count: Int, limit: UInt64 = .max) throws(SourceError) -> ArraySlice<
    UInt8
  > {
    if offset < start || offset - start > UInt64(buffer.count)
      || UInt64(buffer.count) - (offset - start) < UInt64(count)
    {
      try move(to: offset, count: count, limit: limit)
    }
    let low = min(Int(offset - start), buffer.count)
    return buffer[low..<min(low + count, buffer.count)]
  }

  private mutating func move(to offset: UInt64, count: Int, limit: UInt64) throws(SourceError) {
    let ahead = limit > offset ? Int(clamping: limit - offset) : count
    let wanted = max(count, min(capacity, ahead))
    start = offset
    buffer = []
    buffer = try reader.bytes(at: offset, count: wanted)
  }
}
