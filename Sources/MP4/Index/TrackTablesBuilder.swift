internal import ISOBMFF
internal import MediaCore

/// Builds the sample tables of a track whose samples come from fragments, from an encoder, or from the intact part of a
/// damaged index.
///
/// Fragments may begin at any time, but sample tables hold durations only: neither a step back nor a step of more than
/// 31 bits. After such a step, samples are decoded at other times until the tables have caught up, but are shown at the
/// same times as before as far as 32 bits of composition offset allow. A stream that starts over, far back, continues
/// from where it was. Samples with changed times are counted.
struct TrackTablesBuilder {
  private var tables = SampleTableBuilder()
  private var pending: SampleRecord?
  /// When the first sample is decoded; a progressive track begins at 0.
  private var firstTime: Int64?
  /// The time in the source that is 0 in the tables. 128 bits hold any sum of 64-bit times.
  private var origin: Int128 = 0
  private let timescale: UInt32
  /// How readers take samples that all have one size.
  private let packing: ((UInt32) -> SampleTable.Packing?)?
  private var retiming = Retiming()
  /// When the earliest sample is shown, in ticks from time 0 of the tables.
  private var firstShown = Int64.max
  /// When the sample that is shown last ends, in ticks from time 0 of the tables.
  private var lastShownEnd: Int64 = 0

  /// - Parameters:
  ///   - timescale: ticks a second of the track.
  ///   - trak: the track's box in the source; `nil` if there is none.
  init(timescale: UInt32, trak: BoxNode? = nil) {
    self.timescale = timescale
    packing = trak.map { trak in { SampleTable.Packing(trak, sampleSize: $0) } }
  }

  /// For a track that comes from no file.
  init(_ track: MuxerTrack) {
    timescale = track.fileTimescale
    guard track.track.handler == "soun", let bytes = track.track.descriptions.first?.entry,
      let entry = BoxNode.sampleEntry(bytes, handler: "soun")
    else {
      packing = nil
      return
    }
    packing = { SampleTable.Packing(sound: entry, sampleSize: $0) }
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

  /// A sample's duration is known when the next one comes: a gap between fragments extends it, which keeps the decode
  /// times of later samples. Readers take durations for signed, so they end at 31 bits.
  private mutating func flush(next: SampleRecord?) {
    guard let record = pending, let firstTime else { return }
    let time = Int128(tables.duration)
    let composition = Int128(record.presentationTime) - origin - time
    let kept = Int32(clamping: composition)
    let isMoved = Int128(record.decodeTime) - Int128(firstTime) != time
    retiming.count(
      isDecodedAtAnotherTime: isMoved, isShownAtAnotherTime: kept != composition || origin != Int128(firstTime))
    let own = max(Int32(clamping: record.duration), 0)
    firstShown = min(firstShown, Int64(clamping: time + Int128(kept)))
    lastShownEnd = max(lastShownEnd, Int64(clamping: time + Int128(kept) + Int128(own)))
    var step = next.map { Int128($0.decodeTime) - origin - time } ?? Int128(own)
    // Up to a second back is jitter, or an overlap: catching up keeps tracks together. More is a new beginning.
    if let next, step < -Int128(timescale) {
      step = Int128(own)
      origin = Int128(next.decodeTime) - time - step
    }
    tables.add(
      offset: record.offset, size: UInt32(clamping: record.size), duration: UInt32(max(Int32(clamping: step), 0)),
      composition: kept, isSync: record.isSync, dependencies: record.dependencies,
      descriptionIndex: record.descriptionIndex)
  }

  mutating func finished() -> BuiltTrackTables {
    flush(next: nil)
    pending = nil
    return BuiltTrackTables(
      boxes: tables.boxes(packing), chunkOffsets: tables.chunkOffsets, duration: tables.duration,
      sampleCount: UInt64(tables.sampleCount), firstTime: firstTime ?? 0,
      firstShown: firstShown == .max ? 0 : firstShown, lastShownEnd: lastShownEnd, retiming: retiming)
  }
}
