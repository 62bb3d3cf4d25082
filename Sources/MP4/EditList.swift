internal import MediaCore

/// What a list of edits means for a track.
///
/// An edit shows a stretch of the media for a while; an empty one shows nothing. The usual uses are two: an empty
/// edit in front, where a track starts later than the others, and a first edit that begins inside the media, which
/// cuts off an encoder's priming or the lead that reordered pictures need.
struct EditList {
  private let edits: [Edit]
  private let mediaDuration: MediaTime

  init(_ edits: [Edit], mediaDuration: MediaTime) {
    self.edits = edits
    self.mediaDuration = mediaDuration
  }

  /// How long the presentation lasts; `nil` without edits, or if it does not fit 64 bits.
  ///
  /// In a fragmented file the length may not be known when the list is written: an edit of length 0 then means "to
  /// the end of the media".
  var duration: MediaTime? {
    guard let timescale = edits.first?.duration.timescale else { return nil }
    var sum: Int64 = 0
    for edit in edits {
      var length = edit.duration.value
      if length == 0, let start = edit.mediaTime {
        let rest = MediaTime(value: max(mediaDuration.value - start.value, 0), timescale: mediaDuration.timescale)
        length = rest.converted(to: timescale)?.value ?? 0
      }
      let (next, overflow) = sum.addingReportingOverflow(length)
      if overflow { return nil }
      sum = next
    }
    return MediaTime(value: sum, timescale: timescale)
  }
}
