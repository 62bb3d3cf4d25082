internal import ISOBMFF
internal import MediaCore

/// Builds a progressive index for a track whose samples come from fragments, or from what is left of a damaged index.
///
/// Fragments may begin at any time, a progressive index knows durations only: neither a step back nor a step of more
/// than 31 bits. Where there is one, samples are decoded at another time until the index has caught up, and are shown
/// when they were as far as 32 bits of composition offset reach. A stream that starts over, far back, goes on from
/// where it was. How many samples were moved is counted.
struct TrackIndexBuilder {
  private var tables = SampleTableBuilder()
  private var pending: SampleRecord?
  /// When the first sample is decoded; a progressive track begins at 0.
  private var firstTime: Int64?
  /// The source's time that is 0 in the index. 128 bits hold any sum of what 64 bits hold.
  private var origin: Int128 = 0
  private let timescale: UInt32
  private let trak: BoxNode?
  private var retiming = Retiming()
  /// When the earliest sample is shown, in ticks of the index.
  private var firstShown: Int64 = 0
  /// When the sample that is shown last ends, in ticks of the index.
  private var lastShownEnd: Int64 = 0

  /// - Parameters:
  ///   - timescale: ticks a second of the track.
  ///   - trak: what the source says of it; `nil` if there is none.
  init(timescale: UInt32, trak: BoxNode? = nil) {
    self.timescale = timescale
    self.trak = trak
  }

  /// Adds a sample, in decoding order.
  mutating func add(_ record: SampleRecord) {
    if firstTime == nil {
      firstTime = record.decodeTime
      origin = Int128(record.decodeTime)
    }
    flush(next: record)
    pending = record
  }

  /// A sample's duration is known when the next one comes: a gap between fragments makes it longer, which keeps the
  /// decode times of what follows. Readers take durations for signed, so they end at 31 bits.
  private mutating func flush(next: SampleRecord?) {
    guard let record = pending, let firstTime else { return }
    let time = Int128(tables.duration)
    let composition = Int128(record.presentationTime) - origin - time
    let kept = Int32(clamping: composition)
    let isMoved = Int128(record.decodeTime) - Int128(firstTime) != time
    retiming.count(isDecodedElsewhere: isMoved, isShownElsewhere: kept != composition || origin != Int128(firstTime))
    let own = max(Int32(clamping: record.duration), 0)
    firstShown = min(firstShown, Int64(clamping: time + Int128(kept)))
    lastShownEnd = max(lastShownEnd, Int64(clamping: time + Int128(kept) + Int128(own)))
    var step = next.map { Int128($0.decodeTime) - origin - time } ?? Int128(own)
    // A second back is jitter, or an overlap: catching up with it keeps tracks together. More is a new beginning.
    if let next, step < -Int128(timescale) {
      step = Int128(own)
      origin = Int128(next.decodeTime) - time - step
    }
    tables.add(
      offset: record.offset, size: UInt32(clamping: record.size), duration: UInt32(max(Int32(clamping: step), 0)),
      composition: kept, isSync: record.isSync, dependencies: record.dependencies,
      descriptionIndex: record.descriptionIndex)
  }

  mutating func finished() -> MadeIndex {
    flush(next: nil)
    pending = nil
    return MadeIndex(
      boxes: tables.boxes(of: trak), duration: tables.duration, sampleCount: UInt64(tables.sampleCount),
      firstTime: firstTime ?? 0, firstShown: firstShown, lastShownEnd: lastShownEnd, retiming: retiming)
  }
}

/// An index that was made for a track.
struct MadeIndex {
  /// `stts` and its kin; chunk offsets are those of the source, in a `co64`.
  private(set) var boxes: [BoxNode]
  /// Ticks of the track.
  let duration: UInt64
  let sampleCount: UInt64
  /// The source's time that is 0 in the index: when the first sample was decoded, unless all are shown later now.
  private(set) var firstTime: Int64
  /// When the earliest sample is shown, in ticks of the index, if that is before 0.
  private(set) var firstShown: Int64
  /// When the sample that is shown last ends, in ticks of the index.
  private(set) var lastShownEnd: Int64
  /// Samples whose times it could not keep.
  private(set) var retiming: Retiming

  /// Counts all samples as shown elsewhere: the whole track is.
  mutating func noteMove() {
    retiming.shownElsewhere = sampleCount
  }

  /// The same with all samples shown later by as much as the earliest one is shown before 0, which no edit can name.
  ///
  /// - Returns: `nil` where 32 bits of composition offset, or 64 of time, do not reach as far.
  func shownFromZero() -> MadeIndex? {
    guard firstShown < 0, let place = boxes.firstIndex(where: { $0.type == "ctts" }) else { return self }
    var result = self
    let (time, overflow) = firstTime.addingReportingOverflow(firstShown)
    var runs: [CompositionOffsetEntry] = []
    for run in boxes[place].box(as: CompositionOffsetBox.self)?.runs.entries ?? [] {
      guard let offset = Int32(exactly: Int64(run.sampleOffset) - firstShown) else { return nil }
      runs.append(CompositionOffsetEntry(sampleCount: run.sampleCount, sampleOffset: offset))
    }
    result.boxes[place].edit(CompositionOffsetBox.self) { box in
      box.runs = PackedTable(runs)
      box.versionAndFlags.version = runs.contains { $0.sampleOffset < 0 } ? 1 : 0
    }
    result.firstTime = time
    result.lastShownEnd = lastShownEnd.saturatingSubtract(firstShown)
    result.firstShown = 0
    return overflow ? nil : result
  }
}
