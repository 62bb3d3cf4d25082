internal import ISOBMFF

/// An entry that stands for several samples in a row with the same value.
protocol RunEntry: TableEntry {
  var sampleCount: UInt32 { get }
  var value: Int64 { get }
}

extension TimeToSampleEntry: RunEntry {
  /// Old QuickTime files go back in time with deltas that are negative if read as signed.
  var value: Int64 { Int64(Int32(bitPattern: sampleDelta)) }
}

extension CompositionOffsetEntry: RunEntry {
  var value: Int64 { Int64(sampleOffset) }
}

/// Walks a run-length table sample by sample.
struct RunCursor<Entry: RunEntry>: Sendable {
  private var window: TableWindow<Entry>
  private var index = 0
  private var left: UInt32 = 0
  private var value: Int64 = 0
  private let repeatsLast: Bool

  /// - Parameter repeatsLast: whether samples behind the table's end have the last value, or 0.
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
      value = entry.value
      left = entry.sampleCount
      if left > 0 { return }
    }
    if !repeatsLast { value = 0 }
  }

  /// Passes over samples, run by run.
  ///
  /// - Returns: the sum of their values, or `nil` if it does not fit 64 bits.
  mutating func skip(_ count: UInt64) throws(MP4Error) -> Int64? {
    var rest = count
    var sum: Int128 = 0
    while rest > 0 {
      if left == 0 { try load() }
      // Behind the end of the table one value holds for all that follow.
      let taken = left == 0 ? rest : min(UInt64(left), rest)
      sum += Int128(value) * Int128(taken)
      rest -= taken
      left -= left == 0 ? 0 : UInt32(taken)
    }
    return Int64(exactly: sum)
  }
}
