internal import ISOBMFF
internal import MediaCore

/// Makes a progressive index for a track whose samples come from fragments, or from what is left of a damaged index.
struct TrackIndexMaker {
  private var tables = SampleTableMaker()
  private var pending: SampleRecord?
  /// When the first sample is decoded; a progressive track begins at 0.
  private var firstTime: Int64?

  /// Adds a sample, in decoding order.
  mutating func add(_ record: SampleRecord) {
    if firstTime == nil { firstTime = record.decodeTime }
    flush(nextTime: record.decodeTime)
    pending = record
  }

  /// A sample's duration is known when the next one comes: a gap between fragments makes it longer, which keeps the
  /// decode times of what follows.
  private mutating func flush(nextTime: Int64?) {
    guard let record = pending else { return }
    let (gap, overflow) = (nextTime ?? 0).subtractingReportingOverflow(record.decodeTime)
    let duration = nextTime == nil || overflow ? record.duration : gap
    let (composition, _) = record.presentationTime.subtractingReportingOverflow(record.decodeTime)
    tables.add(
      offset: record.offset, size: UInt32(clamping: record.size), duration: UInt32(clamping: duration),
      composition: Int32(clamping: composition), isSync: record.isSync, descriptionIndex: record.descriptionIndex)
  }

  mutating func finished() -> MadeIndex {
    flush(nextTime: nil)
    pending = nil
    return MadeIndex(
      boxes: tables.boxes(), duration: tables.duration, sampleCount: UInt64(tables.sampleCount),
      firstTime: firstTime ?? 0)
  }
}

/// An index that was made for a track.
struct MadeIndex {
  /// `stts` and its kin; chunk offsets are those of the source, in a `co64`.
  let boxes: [BoxNode]
  /// Ticks of the track.
  let duration: UInt64
  let sampleCount: UInt64
  /// When the first sample was decoded in the source.
  let firstTime: Int64
}
