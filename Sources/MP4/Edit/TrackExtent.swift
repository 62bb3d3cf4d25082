internal import MediaCore

/// Where all samples of a track are in time, in its ticks.
struct TrackExtent {
  /// When the first one is shown, and the last one ends.
  let shown: Range<Int64>
  /// How long after it is decoded a sample is shown at least: negative where one is shown before. `nil` where samples
  /// are not decoded in their order.
  let leastOffset: Int64?

  /// - Throws: `MP4Error`: what is wrong with the index.
  init(_ track: MovieTrack) throws(MP4Error) {
    if let all = try SteadyTimes(track.index.table)?.samples(before: .max) {
      (shown, leastOffset) = (0..<max(all.end, 0), 0)
      return
    }
    var samples = track.samples()
    var (first, last): (Int64, Int64) = (.max, .min)
    var (offset, previous, isOrdered) = (Int64.max, Int64.min, true)
    while let record = try samples.nextRecord() {
      first = min(first, record.presentationTime)
      last = max(last, record.presentationTime.saturatingAdd(max(record.duration, 0)))
      offset = min(offset, record.presentationTime.saturatingSubtract(record.decodeTime))
      if record.decodeTime < previous { isOrdered = false }
      previous = record.decodeTime
    }
    shown = first <= last ? first..<last : 0..<0
    leastOffset = isOrdered ? offset : nil
  }
}
