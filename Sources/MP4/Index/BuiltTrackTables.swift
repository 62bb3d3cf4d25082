internal import ISOBMFF
internal import MediaCore

/// The sample tables built for a track, and the times at which they put its samples.
struct BuiltTrackTables {
  /// The tables as boxes, except for `stco`: where chunks go is not known yet.
  private(set) var boxes: [BoxNode]
  /// The offsets of the chunks in the source.
  let chunkOffsets: [UInt64]
  /// Ticks of the track.
  let duration: UInt64
  let sampleCount: UInt64
  /// The time in the source that is 0 in the tables: when the first sample was decoded, unless all are now shown later.
  private(set) var firstTime: Int64
  /// When the earliest sample is shown, in ticks from time 0 of the tables; negative where that is before 0.
  private(set) var firstShown: Int64
  /// When the sample that is shown last ends, in ticks from time 0 of the tables.
  private(set) var lastShownEnd: Int64
  /// Samples whose times the tables could not keep.
  private(set) var retiming: Retiming

  /// From when its first sample is decoded until the last one shown ends.
  var shown: Range<Int64> { 0..<max(lastShownEnd, 0) }

  /// The sum of its samples' durations.
  func length(in timescale: UInt32) -> MediaTime {
    MediaTime(value: Int64(clamping: duration), timescale: timescale)
  }

  /// Counts all samples as shown at another time: the whole track is.
  mutating func noteMove() {
    retiming.shownAtAnotherTime = sampleCount
  }

  /// The same tables with all samples shown later, so that the earliest one, shown at a time before 0 that no edit can
  /// express, is shown at 0.
  ///
  /// - Returns: `nil` where 32 bits of composition offset, or 64 of time, do not suffice.
  func shownFromZero() -> BuiltTrackTables? {
    guard firstShown < 0, let index = boxes.firstIndex(where: { $0.type == "ctts" }) else { return self }
    var result = self
    let (time, overflow) = firstTime.addingReportingOverflow(firstShown)
    var runs: [CompositionOffsetEntry] = []
    for run in boxes[index].box(as: CompositionOffsetBox.self)?.runs.entries ?? [] {
      guard let offset = Int32(exactly: Int64(run.sampleOffset) - firstShown) else { return nil }
      runs.append(CompositionOffsetEntry(sampleCount: run.sampleCount, sampleOffset: offset))
    }
    result.boxes[index].edit(CompositionOffsetBox.self) { box in
      box.runs = PackedTable(runs)
      box.versionAndFlags.version = runs.contains { $0.sampleOffset < 0 } ? 1 : 0
    }
    result.firstTime = time
    result.lastShownEnd = lastShownEnd.saturatingSubtract(firstShown)
    result.firstShown = 0
    return overflow ? nil : result
  }
}
