internal import MediaCore

/// Builds the edits of a track whose samples are moved to begin at 0.
///
/// Samples of a live stream may begin days into its timeline; a progressive track begins at 0. Edits refer to the
/// timeline of the stream too: the part of one that precedes the first sample shows nothing, and becomes an empty edit.
/// So that the movie does not begin with days of nothing, all tracks leave out as much as the one that begins earliest
/// could. If one begins before 0, a time that edits cannot express, all begin later by that much.
struct EditListBuilder {
  private let track: Track
  private let movieTimescale: UInt32

  init(_ track: Track, movieTimescale: UInt32) {
    self.track = track
    self.movieTimescale = movieTimescale
  }

  /// Whether all edits are over before the first sample begins, so that none is ever shown.
  func showsNothing(firstTime: Int64) -> Bool {
    let shown = track.edits.filter { $0.mediaTime != nil }
    return !shown.isEmpty
      && shown.allSatisfy { $0.duration.value > 0 && emptyTime(of: $0, before: firstTime) >= $0.duration }
  }

  /// How long nothing is shown before the samples begin, apart from the list's empty edits; negative where they begin
  /// before 0, and `nil` where no sample is ever shown.
  ///
  /// - Parameter firstTime: when the first sample is decoded.
  func lead(firstTime: Int64) -> MediaTime? {
    // Without edits, the timeline of the media is that of the movie.
    if track.edits.isEmpty { return MediaTime(value: firstTime, timescale: track.timescale) }
    if showsNothing(firstTime: firstTime) { return nil }
    return track.edits.firstShown.map { emptyTime(of: $0, before: firstTime) }
  }

  /// How long an edit shows nothing because it begins before the first sample does.
  private func emptyTime(of edit: Edit, before firstTime: Int64) -> MediaTime {
    let gap = max(firstTime.saturatingSubtract(edit.mediaTime?.value ?? 0), 0)
    let length = MediaTime(value: gap, timescale: track.timescale)
    return edit.duration.value == 0 ? length : min(length, edit.duration)
  }

  /// The edits for samples that begin at 0.
  struct Result {
    var edits: [Edit] = []
    /// Whether samples keep their times relative to other tracks, to within a tick of the movie and a hundredth of a
    /// second: not where a tick is longer, or where times exceed 63 bits of ticks.
    var isExact = true
  }

  /// Builds the edits.
  ///
  /// - Parameter leftOut: how much of its lead each track of the movie leaves out; negative where each is shown later.
  func edits(of tables: BuiltTrackTables, leftOut: MediaTime) -> Result {
    // Leaving out a lead could empty the list, and without a list all samples would be shown.
    if showsNothing(firstTime: tables.firstTime) { return hidden }
    let edits =
      track.edits.isEmpty
      ? [
        Edit(
          duration: MediaTime(value: 0, timescale: movieTimescale),
          mediaTime: MediaTime(value: 0, timescale: track.timescale))
      ] : track.edits
    var result = Result()
    var leftOut = leftOut
    for edit in edits {
      guard let start = edit.mediaTime else {
        result.edits.append(edit)
        continue
      }
      // In a track without edits, what begins before 0 is shown as well.
      let nothing =
        track.edits.isEmpty ? lead(firstTime: tables.firstTime) ?? .zero : emptyTime(of: edit, before: tables.firstTime)
      let delay = nothing.since(leftOut, in: movieTimescale)
      if !isNear(delay, nothing, since: leftOut) { result.isExact = false }
      add(nothing: delay, to: &result)
      let isOnTime = result.isExact
      // The lead is left out once.
      leftOut = .zero
      guard var moved = moved(edit, start, by: tables, nothing, &result) else { continue }
      if track.edits.isEmpty {
        // A track without edits that begins with its samples needs no list: nothing is cut off.
        if result.edits.isEmpty { return Result(isExact: isOnTime) }
        // Where there is a list, ffmpeg shows the first picture when the edit begins.
        if track.kind == .video { show(&moved, from: tables.firstShown, &result) }
      }
      result.edits.append(moved)
    }
    return result
  }

  /// An empty edit as long as all edits of the track.
  private var hidden: Result {
    let length = track.edits.reduce(MediaTime(value: 0, timescale: movieTimescale)) { $0.adding($1.duration) }
    return Result(edits: [Edit(duration: length, mediaTime: nil)])
  }

  /// Whether a delay, rounded to ticks of the movie, is right to within a hundredth of a second.
  private func isNear(_ delay: MediaTime, _ nothing: MediaTime, since leftOut: MediaTime) -> Bool {
    // Ticks this short cannot round by more.
    if movieTimescale >= 50 { return true }
    // The error in seconds is `error / scale`. With so few ticks a second, no product takes more than 102 bits.
    let (first, second, ticks) = (Int128(nothing.timescale), Int128(leftOut.timescale), Int128(movieTimescale))
    let scale = first * second * ticks
    let error =
      (Int128(nothing.value) * second - Int128(leftOut.value) * first) * ticks - Int128(delay.value) * first * second
    return error.magnitude * 100 <= scale.magnitude
  }

  /// The part of an edit that shows something; `nil` if there is none.
  private func moved(
    _ edit: Edit, _ start: MediaTime, by tables: BuiltTrackTables, _ nothing: MediaTime, _ result: inout Result
  ) -> Edit? {
    var moved = edit
    let begin = track.edits.isEmpty ? 0 : max(start.value.saturatingSubtract(tables.firstTime), 0)
    // The edit would begin before it can.
    if begin == .max || tables.firstShown < 0 && start.value.saturatingSubtract(tables.firstTime) < 0 {
      result.isExact = false
    }
    moved.mediaTime = MediaTime(value: begin, timescale: track.timescale)
    if edit.duration.value == 0 {
      // "To the end", an edit that only fragments may have.
      let rest = MediaTime(value: max(tables.lastShownEnd.saturatingSubtract(begin), 0), timescale: track.timescale)
      moved.duration = rest.since(.zero, in: movieTimescale, rounding: .up)
      if moved.duration.value == .max { result.isExact = false }
    } else if nothing.value > 0 {
      moved.duration = edit.duration.since(nothing, in: movieTimescale)
      guard moved.duration.value > 0 else { return nil }
    }
    return moved
  }

  /// Lets an edit of the whole media begin with the first picture.
  private func show(_ edit: inout Edit, from firstShown: Int64, _ result: inout Result) {
    guard let start = edit.mediaTime?.value, firstShown > start else { return }
    let nothing = MediaTime(value: firstShown - start, timescale: track.timescale).since(.zero, in: movieTimescale)
    guard nothing < edit.duration else { return }
    add(nothing: nothing, to: &result)
    edit.duration = edit.duration.since(nothing, in: movieTimescale)
    edit.mediaTime = MediaTime(value: firstShown, timescale: track.timescale)
  }

  /// Adds an empty edit, or extends the one before: players expect one at the beginning only.
  private func add(nothing length: MediaTime, to result: inout Result) {
    // No edit can go back in time.
    if length.value < 0 { result.isExact = false }
    guard length.value > 0 else { return }
    if let last = result.edits.last, last.mediaTime == nil {
      result.edits[result.edits.count - 1].duration = last.duration.adding(length)
    } else {
      result.edits.append(Edit(duration: length, mediaTime: nil))
    }
    if result.edits.last?.duration.value == .max { result.isExact = false }
  }
}
