internal import MediaCore

/// Walks a run-length table sample by sample: `stts` or `ctts`.
///
/// Entries of both are a number of samples and a number of ticks, and the ticks are read as signed in both: old
/// QuickTime files step back in time with negative deltas in `stts`, and files have negative offsets in any version of
/// `ctts`.
struct RunCursor: Sendable {
  private var window: TableWindow<Run>
  private var index = 0
  private var left: UInt32 = 0
  private var value: Int64 = 0
  private let repeatsLast: Bool

  /// - Parameter repeatsLast: whether samples after the table's end have the last value instead of 0.
  init(_ location: TableLocation, repeatsLast: Bool) {
    window = TableWindow(location)
    self.repeatsLast = repeatsLast
  }

  /// The value of the next sample.
  @inline(__always)
  mutating func next() throws(MP4Error) -> Int64 {
    if left == 0 { try load() }
    if left > 0 { left &-= 1 }
    return value
  }

  @inline(never)
  private mutating func load() throws(MP4Error) {
    while index < window.count {
      let entry = try window.entry(at: index)
      index += 1
      value = Int64(entry.ticks)
      left = entry.sampleCount
      if left > 0 { return }
    }
    if !repeatsLast { value = 0 }
  }

  /// The next run of samples with the same value, or what is left of one.
  ///
  /// - Parameter most: the most samples that are wanted, at least 1.
  /// - Returns: how many there are, and their value. After the end of the table, one value holds for all.
  mutating func nextRun(upTo most: UInt64) throws(MP4Error) -> (count: UInt64, value: Int64) {
    if left == 0 { try load() }
    guard left > 0 else { return (most, value) }
    let count = min(UInt64(left), most)
    left -= UInt32(count)
    return (count, value)
  }

  /// Skips samples, run by run.
  ///
  /// - Returns: the sum of their values, or `nil` if it does not fit in 64 bits.
  mutating func skip(_ count: UInt64) throws(MP4Error) -> Int64? {
    var rest = count
    var sum: Int128 = 0
    while rest > 0 {
      let (taken, value) = try nextRun(upTo: rest)
      sum += Int128(value) * Int128(taken)
      rest -= taken
    }
    return Int64(exactly: sum)
  }
}

/// An entry of the table: consecutive samples with the same number of ticks.
private struct Run: WindowEntry {
  let sampleCount: UInt32
  let ticks: Int32

  static var width: Int { 8 }

  init(at offset: Int, in bytes: Span<UInt8>) {
    sampleCount = bytes.bigEndian(at: offset)
    ticks = bytes.bigEndian(at: offset + 4)
  }
}
