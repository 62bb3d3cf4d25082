internal import MediaCore

/// Times of samples that are shown when they are decoded and depend on no others, such as packets of sound. They are
/// found run by run, not sample by sample: a day of sound is a single run.
struct SteadyTimes {
  private let runs: RunCursor
  /// Samples of the track.
  private let count: UInt64

  /// - Returns: `nil` for samples that are not of this kind.
  init?(_ table: SampleTable) throws(MP4Error) {
    guard table.compositionOffsets == nil, table.syncSamples == nil, table.packing == nil,
      let times = table.timeToSample, let map = table.sampleToChunk, let offsets = table.chunkOffsets
    else { return nil }
    var chunks = ChunkCursor(runs: map, offsets: offsets)
    count = try chunks.sampleCount(upTo: table.sampleCount)
    runs = RunCursor(times, repeatsLast: true)
  }

  /// The first samples of a track.
  struct Samples {
    /// How many there are.
    var count: UInt64 = 0
    /// When the last of them begins, and when it ends.
    var lastStart: Int64 = 0
    var end: Int64 = 0
  }

  /// The samples that begin before a time.
  ///
  /// - Returns: `nil` where times step back, as old movies may have them, or exceed 63 bits.
  func samples(before limit: Int64) throws(MP4Error) -> Samples? {
    var runs = runs
    var found = Samples()
    while found.count < count, found.end < limit {
      let (length, ticks) = try runs.nextRun(upTo: count - found.count)
      guard ticks >= 0, length > 0 else { return nil }
      // As many as begin before the limit, which the first of them does.
      let room = UInt64(found.end.distance(to: limit).magnitude) - 1
      let fitting = ticks == 0 ? length : min(length, room / UInt64(ticks) + 1)
      let (before, isLong) = Int64(clamping: fitting - 1).multipliedReportingOverflow(by: ticks)
      let (start, overflow) = found.end.addingReportingOverflow(before)
      let (end, isTooLate) = start.addingReportingOverflow(ticks)
      guard !isLong, !overflow, !isTooLate else { return nil }
      found = Samples(count: found.count + fitting, lastStart: start, end: end)
      if fitting < length { break }
    }
    return found
  }
}
