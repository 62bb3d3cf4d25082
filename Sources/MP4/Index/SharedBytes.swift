/// Detects samples that overlap, or step back in the file: then there may be more of them than a file has room for.
struct SharedBytes {
  private var end: UInt64 = 0
  /// Whether a sample began before the end of an earlier one.
  private(set) var isFound = false

  /// Notes a sample, in decoding order.
  @inline(__always)
  mutating func note(offset: UInt64, count: UInt64) {
    if offset < end { isFound = true }
    end = max(end, offset &+ count)
  }
}
