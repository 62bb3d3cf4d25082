internal import MediaCore

/// What a stretch of the presentation shows of a track: its edits, cut to that stretch.
///
/// For sound, start and end are rounded to the nearest tick of the track, so that every frame is in exactly one of two
/// adjacent stretches. For anything else they are rounded outwards, so that what is on screen at the start or just
/// before the end is included, even if a tick lasts as long as a picture.
struct ClippedEdits {
  /// The edits: media times as in the source. Durations are exact where the source's edits are not cut, as otherwise
  /// many of them would add up to another time than another track's.
  private(set) var edits: [Edit] = []
  /// What is needed of the media: from the first tick that is shown to the last; `nil` if nothing is.
  private(set) var media: Range<Int64>?
  /// Whether the first of them begins where one of the source does, so that nothing before it was cut off.
  private(set) var isWholeAtStart = true
  /// Whether the last of them ends where the last one of the source does.
  private(set) var isWholeAtEnd = true
  /// When in the source the first of them begins, and when the last one ends.
  private var presented: (start: MediaTime, end: MediaTime)?
  private let timescale: UInt32

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
    self.timescale = timescale
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
      let end =
        (last < editEnd && !isSound ? last - ClippedEdits.slack : last)
        .since(position, in: timescale, rounding: isSound ? .nearest : .up).value
      guard end > skipped else { continue }
      var piece = edit
      let rest = last < editEnd ? MediaTime(value: end, timescale: timescale) : duration
      piece.duration = first > position ? rest - MediaTime(value: skipped, timescale: timescale) : rest
      if let mediaStart {
        let start = mediaStart.saturatingAdd(ClippedEdits.media(skipped, edit))
        piece.mediaTime = MediaTime(value: start, timescale: timescale)
        note(start..<max(mediaStart.saturatingAdd(ClippedEdits.media(end, edit)), start.saturatingAdd(1)))
      } else if !isSound {
        piece.duration = last - first
      }
      presented = (presented?.start ?? first, last)
      self.edits.append(piece)
    }
  }

  /// The edits as long as the stretch. Begin and end of pictures are rounded to ticks of the track, which may add two of
  /// them; then the pictures would outlast the sound, and the next part would come late. But the last picture is shown
  /// for a tick at least: players leave out what begins where an edit ends.
  ///
  /// - Parameters:
  ///   - movieTimescale: ticks per second in which durations are to be counted.
  ///   - lastStart: when the last sample begins that is shown, in ticks of the track.
  func edits(countedIn movieTimescale: UInt32, lastStart: Int64?) -> [Edit] {
    guard let presented, let last = edits.last, last.rate == 1, !isWholeAtStart || !isWholeAtEnd else { return edits }
    let end = presented.end.since(.zero, in: movieTimescale)
    let length = end.since(presented.start.since(.zero, in: movieTimescale), in: movieTimescale)
    var duration = edits.dropLast().reduce(length) { $0.since($1.duration, in: movieTimescale) }
    if let start = last.mediaTime?.value {
      let ticks = max(lastStart?.saturatingSubtract(start) ?? 0, 0).saturatingAdd(1)
      let needed = MediaTime(value: ticks, timescale: timescale)
      duration = max(duration, needed.since(.zero, in: movieTimescale, rounding: .up))
    }
    guard duration > .zero, duration < last.duration else { return edits }
    var result = edits
    result[result.count - 1].duration = duration
    return result
  }

  private mutating func note(_ shown: Range<Int64>) {
    let all = media ?? shown
    media = min(all.lowerBound, shown.lowerBound)..<max(all.upperBound, shown.upperBound)
  }

  /// How far an edit gets in the media in so many ticks: a frozen picture stays the same, and a rate of 2 takes twice
  /// the media. Backwards, which no player supports, counts as forwards.
  private static func media(_ ticks: Int64, _ edit: Edit) -> Int64 {
    edit.rate == 1 ? ticks : Int64(exactly: (Double(ticks) * abs(edit.rate)).rounded(.up)) ?? .max
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
}
