package import MediaCore

/// What a list of edits means for a track.
///
/// An edit shows a stretch of the media for a while; an empty one shows nothing. Most lists use two: an empty edit
/// first, where a track starts later than the others, and an edit that begins inside the media, which cuts off an
/// encoder's priming or the lead that reordered video frames need.
struct EditList {
  private let edits: [Edit]
  private let media: Range<Int64>
  private let timescale: UInt32

  /// - Parameters:
  ///   - media: when the first sample is decoded and when the last one shown ends, in ticks of the track, on the
  ///     timeline that the edits count in.
  ///   - timescale: ticks a second of the track.
  init(_ edits: [Edit], media: Range<Int64>, timescale: UInt32) {
    self.edits = edits
    self.media = media
    self.timescale = timescale
  }

  /// How long the presentation lasts, in the movie's timescale; `nil` without edits, or if it does not fit 64 bits.
  var duration: MediaTime? {
    guard let timescale = edits.first?.duration.timescale else { return nil }
    var sum: Int64 = 0
    for edit in edits {
      let (next, overflow) = sum.addingReportingOverflow(length(of: edit, in: timescale))
      if overflow { return nil }
      sum = next
    }
    return MediaTime(value: sum, timescale: timescale)
  }

  /// How long an edit lasts. In a fragmented file that may not be known when the list is written: an edit of length 0
  /// then means "to the end of the media", which is when the last sample shown ends. If video frames are reordered,
  /// that is later than the sum of the samples' durations.
  private func length(of edit: Edit, in movieTimescale: UInt32) -> Int64 {
    guard edit.duration.value == 0, let start = edit.mediaTime else { return edit.duration.value }
    let first = MediaTime(value: max(start.value, media.lowerBound), timescale: timescale)
    let end = MediaTime(value: media.upperBound, timescale: timescale)
    return max(end.since(first, in: movieTimescale).value, 0)
  }
}

/// The parts of a typical list: nothing for a while, then the media from some time on.
extension [Edit] {
  /// The empty edits at the beginning, which delay the track.
  var delay: ArraySlice<Edit> { prefix { $0.mediaTime == nil } }

  /// How long nothing is shown at the beginning.
  package var delayTime: MediaTime { delay.reduce(MediaTime.zero) { $0 + $1.duration } }

  /// The edits of a track that lost what comes after a time of the media, in ticks of the track: they end with what is
  /// left. Where nothing is left to be shown, they stay as they are: no list would show all.
  func cut(at end: Int64) -> [Edit] {
    let left = compactMap { edit -> Edit? in
      guard let start = edit.mediaTime, edit.rate == 1 else { return edit }
      guard start.value < end else { return nil }
      let rest = MediaTime(value: end, timescale: start.timescale)
        .since(start, in: edit.duration.timescale, rounding: .up)
      var edit = edit
      edit.duration = Swift.min(edit.duration, rest)
      return edit
    }
    return left.firstShown == nil ? self : left
  }

  /// The first edit that shows something.
  var firstShown: Edit? { first { $0.mediaTime != nil } }
}
