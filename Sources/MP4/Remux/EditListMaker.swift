internal import MediaCore

/// The edits of a track whose samples are moved to begin at 0.
///
/// Samples of a live stream may begin days into its timeline; a progressive track begins at 0. So that tracks stay
/// together, all move by what the earliest one moves, and one that began later gets an empty edit in front.
struct EditListMaker {
  private let track: Track
  private let movieTimescale: UInt32

  init(_ track: Track, movieTimescale: UInt32) {
    self.track = track
    self.movieTimescale = movieTimescale
  }

  func edits(of made: MadeIndex, media: MediaTime, start: MediaTime) -> [Edit] {
    let late = delay(made, start: start)
    let first = late.map { [Edit(duration: $0, mediaTime: nil)] } ?? []
    guard !track.edits.isEmpty else {
      guard late != nil, let whole = media.converted(to: movieTimescale, rounding: .up) else { return [] }
      return first + [Edit(duration: whole, mediaTime: MediaTime(value: 0, timescale: track.timescale))]
    }
    return first + track.edits.map { moved($0, by: made.firstTime, media: media) }
  }

  /// How much later than the earliest track this one begins, in the movie's timescale.
  private func delay(_ made: MadeIndex, start: MediaTime) -> MediaTime? {
    let own = MediaTime(value: made.firstTime, timescale: track.timescale)
    guard own > start, let mine = own.converted(to: movieTimescale), let other = start.converted(to: movieTimescale),
      mine.value > other.value
    else { return nil }
    return MediaTime(value: mine.value - other.value, timescale: movieTimescale)
  }

  /// An edit of the moved media. A length of 0, which in fragments means "all there is", is made good.
  private func moved(_ edit: Edit, by ticks: Int64, media: MediaTime) -> Edit {
    guard let old = edit.mediaTime else { return edit }
    var edit = edit
    let place = max(old.value.subtractingReportingOverflow(max(ticks, 0)).partialValue, 0)
    edit.mediaTime = MediaTime(value: place, timescale: track.timescale)
    if edit.duration.value == 0 {
      let rest = MediaTime(value: max(media.value - place, 0), timescale: track.timescale)
      edit.duration = rest.converted(to: movieTimescale) ?? edit.duration
    }
    return edit
  }
}
