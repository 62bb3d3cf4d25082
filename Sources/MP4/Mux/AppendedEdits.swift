internal import MediaCore

extension MuxerTrack {
  /// The track with its edits cut to what was appended.
  ///
  /// Edits copied from a movie cover all its samples. If fewer were appended, they would promise a presentation that
  /// does not exist: ten seconds that claim to be thirty.
  func cut(to times: TrackTimes) -> MuxerTrack {
    guard let edits, times.count < track.sampleCount else { return self }
    let kept = edits.compactMap { cut($0, at: times.lastShownEnd) }
    var result = self
    // If nothing that they show was appended, everything that was is shown.
    result.edits = kept.contains { $0.mediaTime != nil } ? kept : nil
    return result
  }

  /// An edit, ending no later than a time of the media; `nil` if it begins only then.
  private func cut(_ edit: Edit, at end: Int64) -> Edit? {
    guard let begin = edit.mediaTime?.value, edit.rate == 1 else { return edit }
    let (ticks, overflow) = end.subtractingReportingOverflow(begin)
    guard !overflow, ticks > 0 else { return nil }
    let rest = MediaTime(value: ticks, timescale: track.timescale)
    var edit = edit
    if let rest = rest.converted(to: edit.duration.timescale, rounding: .up), rest < edit.duration {
      edit.duration = rest
    }
    return edit
  }
}
