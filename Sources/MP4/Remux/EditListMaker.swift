internal import MediaCore

/// The edits of a track whose samples are moved to begin at 0.
///
/// Samples of a live stream may begin days into its timeline; a progressive track begins at 0. Edits count on that
/// timeline too: what one shows of it before the first sample is nothing, and becomes an empty edit. So that the movie
/// does not begin with days of nothing, all tracks leave out as much as the one that begins earliest could.
struct EditListMaker {
  private let track: Track
  private let movieTimescale: UInt32

  init(_ track: Track, movieTimescale: UInt32) {
    self.track = track
    self.movieTimescale = movieTimescale
  }

  /// How long nothing is shown before the samples begin, empty edits of the list not counted.
  ///
  /// - Parameter firstTime: when the first sample is decoded.
  func lead(firstTime: Int64) -> MediaTime {
    // Without edits, the timeline of the media is that of the movie.
    guard let first = track.edits.first(where: { $0.mediaTime != nil }) else {
      return MediaTime(value: max(firstTime, 0), timescale: track.timescale)
    }
    return nothing(of: first, before: firstTime)
  }

  /// How long an edit shows nothing, as it begins before the first sample does.
  private func nothing(of edit: Edit, before firstTime: Int64) -> MediaTime {
    let gap = max(firstTime.saturatingSubtract(edit.mediaTime?.value ?? 0), 0)
    let length = MediaTime(value: gap, timescale: track.timescale)
    return edit.duration.value == 0 ? length : min(length, edit.duration)
  }

  /// The edits for samples that begin at 0.
  ///
  /// - Parameter leftOut: how much of its lead each track of the movie leaves out.
  func edits(of made: MadeIndex, leftOut: MediaTime) -> [Edit] {
    let edits =
      track.edits.isEmpty
      ? [
        Edit(
          duration: MediaTime(value: 0, timescale: movieTimescale),
          mediaTime: MediaTime(value: 0, timescale: track.timescale))
      ] : track.edits
    var result: [Edit] = []
    var leftOut = leftOut
    for edit in edits {
      guard let start = edit.mediaTime else {
        result.append(edit)
        continue
      }
      let nothing = nothing(of: edit, before: made.firstTime)
      add(nothing: nothing.since(leftOut, in: movieTimescale), to: &result)
      // What is left out is left out once.
      leftOut = .zero
      if let moved = moved(edit, start, by: made, nothing) { result.append(moved) }
    }
    // A track without edits that begins with its samples needs no list.
    return track.edits.isEmpty && result.count == 1 ? [] : result
  }

  /// The part of an edit that shows something; `nil` where that is none.
  private func moved(_ edit: Edit, _ start: MediaTime, by made: MadeIndex, _ nothing: MediaTime) -> Edit? {
    var moved = edit
    let place = max(start.value.saturatingSubtract(made.firstTime), 0)
    moved.mediaTime = MediaTime(value: place, timescale: track.timescale)
    if edit.duration.value == 0 {
      // "To the end", which only fragments may say.
      let rest = MediaTime(value: max(made.lastShownEnd.saturatingSubtract(place), 0), timescale: track.timescale)
      moved.duration = rest.since(.zero, in: movieTimescale, rounding: .up)
    } else if nothing.value > 0 {
      moved.duration = edit.duration.since(nothing, in: movieTimescale)
      guard moved.duration.value > 0 else { return nil }
    }
    return moved
  }

  /// Adds an empty edit, or makes the one before longer: players look for one at the beginning only.
  private func add(nothing length: MediaTime, to edits: inout [Edit]) {
    guard length.value > 0 else { return }
    if let last = edits.last, last.mediaTime == nil {
      edits[edits.count - 1].duration = last.duration.adding(length)
    } else {
      edits.append(Edit(duration: length, mediaTime: nil))
    }
  }
}
