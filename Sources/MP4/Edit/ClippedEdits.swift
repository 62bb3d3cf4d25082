internal import MediaCore

/// What a stretch of the presentation shows of a track: its edits, cut to that stretch.
///
/// Of sound, begin and end are rounded to the nearest tick of the track, so that of two stretches of which one begins
/// where the other ends, each frame is in one. Of anything else, what is shown at the beginning is in it, and what is
/// shown until the end, even where a tick is as long as a picture.
struct ClippedEdits {
  /// The edits: media times as in the source, durations in ticks of the track.
  private(set) var edits: [Edit] = []
  /// Whether the first of them begins where one of the source does, so that nothing before it was cut off.
  private(set) var isWholeAtStart = true
  /// Whether the last of them ends where the last one of the source does.
  private(set) var isWholeAtEnd = true

  /// - Parameters:
  ///   - edits: the edits of the source; empty for a track without any.
  ///   - media: when the first sample is shown and the last one ends, in ticks of the track.
  ///   - timescale: ticks a second of the track.
  ///   - isSound: whether the track is of sound.
  ///   - start: where the stretch begins.
  ///   - end: where it ends; `nil` for the end of the presentation.
  init(
    _ edits: [Edit], media: Range<Int64>, timescale: UInt32, isSound: Bool, from start: MediaTime, to end: MediaTime?
  ) {
    let whole = Edit(
      duration: MediaTime(value: 0, timescale: timescale), mediaTime: MediaTime(value: 0, timescale: timescale))
    var position = MediaTime.zero
    for edit in edits.isEmpty ? [whole] : edits {
      let mediaStart = edit.mediaTime?.value
      let duration = ClippedEdits.duration(of: edit, media: media, timescale)
      let editEnd = position + duration
      let (first, last) = (max(position, start), min(editEnd, end ?? editEnd))
      defer { position = editEnd }
      guard first < last else {
        if editEnd <= start, mediaStart != nil { isWholeAtStart = false }
        if position >= last, mediaStart != nil { isWholeAtEnd = false }
        continue
      }
      if first > position { isWholeAtStart = false }
      if last < editEnd { isWholeAtEnd = false }
      // What was meant to be a tick may have been rounded to decimals.
      let skipped = (first > position && !isSound ? first + ClippedEdits.slack : first)
        .since(position, in: timescale, rounding: isSound ? .nearest : .down).value
      let length =
        (last < editEnd && !isSound ? last - ClippedEdits.slack : last)
        .since(position, in: timescale, rounding: isSound ? .nearest : .up).value - skipped
      guard length > 0 else { continue }
      var piece = edit
      piece.duration = MediaTime(value: length, timescale: timescale)
      // A frozen picture stays the same.
      let step = edit.rate == 0 ? 0 : skipped
      piece.mediaTime = mediaStart.map { MediaTime(value: $0.saturatingAdd(step), timescale: timescale) }
      self.edits.append(piece)
    }
  }

  /// A millionth of a second.
  private static let slack = MediaTime(value: 1, timescale: 1_000_000)

  /// How long an edit lasts. One without a duration goes to the end of the media, and so does one that ends less than a
  /// tick of the movie from there: its duration cannot be stated more exactly.
  private static func duration(of edit: Edit, media: Range<Int64>, _ timescale: UInt32) -> MediaTime {
    guard let start = edit.mediaTime?.value else { return edit.duration }
    let rest = max(media.upperBound.saturatingSubtract(start), 0)
    let toEnd = MediaTime(value: rest, timescale: timescale)
    guard edit.duration.value > 0 else { return toEnd }
    let tick = MediaTime(value: 1, timescale: edit.duration.timescale)
    let difference = edit.duration - toEnd
    return edit.rate == 1 && difference < tick && .zero - tick < difference ? toEnd : edit.duration
  }

  /// What is needed of the media: from the first tick that is shown to the last; `nil` if nothing is.
  var media: Range<Int64>? {
    let shown = edits.compactMap { edit -> Range<Int64>? in
      guard let start = edit.mediaTime?.value else { return nil }
      let length = edit.rate == 0 ? 1 : edit.duration.value
      return start..<max(start.saturatingAdd(length), start)
    }
    guard let first = shown.map(\.lowerBound).min(), let last = shown.map(\.upperBound).max() else { return nil }
    return first..<last
  }
}
