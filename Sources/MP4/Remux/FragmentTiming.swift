internal import MediaCore

/// What a track's edits come to when they are put into the times of its fragments.
///
/// Players of streams in fragments (Chromium's Media Source, ffmpeg) take from an edit list no more than where its
/// first edit begins: a delay that an empty edit says is lost on them, and so is the end. What they do go by is the
/// time of each fragment and the duration of each sample: so the delay goes into the first, the end into the last one's
/// second.
struct FragmentTiming {
  /// Ticks that all samples are later than in the source.
  private(set) var shift: Int64 = 0
  /// The edits that remain in a list; `nil` for the list of the source.
  private(set) var edits: [Edit]?
  /// Ticks that the last sample lasts, where the end of the edit cuts it short.
  private var lastDuration: Int64?
  /// The number of the last sample.
  private var lastNumber: UInt64?

  /// Samples as they are, and the edits too.
  init() {}

  /// - Parameter media: what the track's samples add up to, in its own ticks.
  init(_ track: Track, movieTimescale: UInt32, media: MediaSpan) {
    // Only a list can express several shown edits, or one at another speed.
    guard let edit = track.edits.firstShown, track.edits.count == track.edits.delay.count + 1, edit.rate == 1,
      let start = edit.mediaTime?.value, start >= 0
    else { return }
    let empty = track.edits.delay.reduce(MediaTime(value: 0, timescale: movieTimescale)) { $0.adding($1.duration) }
    let delay = max(empty.since(.zero, in: track.timescale).value, 0)
    // Times that 64 bits do not hold stay in the list, which needs no sums.
    guard empty.adding(edit.duration).value < .max, delay < .max,
      media.shownEnd < Int64.max - delay.saturatingAdd(FragmentTiming.longestOffset)
    else { return }
    let end = start.saturatingAdd(edit.duration.since(.zero, in: track.timescale).value)
    lastDuration = edit.duration.value == 0 ? nil : media.last(cutAt: end)
    lastNumber = media.lastNumber
    let isOpen = edit.duration.value == 0 || end >= media.shownEnd || lastDuration != nil
    shift = max(delay.saturatingSubtract(start), 0)
    let begin = max(start.saturatingSubtract(delay), 0)
    func at(_ ticks: Int64, lasting length: MediaTime) -> Edit {
      Edit(
        duration: isOpen ? MediaTime(value: 0, timescale: movieTimescale) : length,
        mediaTime: MediaTime(value: ticks, timescale: track.timescale))
    }
    if media.firstShown < start, begin == 0, delay > 0 {
      // Something is cut off in front, an encoder's priming: it comes before the delay is over.
      edits = [Edit(duration: empty, mediaTime: nil), at(delay, lasting: edit.duration)]
    } else {
      edits = begin == 0 && isOpen ? [] : [at(begin, lasting: empty.adding(edit.duration))]
    }
  }

  /// Ticks that a sample may be decoded later than it is shown.
  private static let longestOffset: Int64 = 1 << 32

  /// A sample with its times in the fragments.
  func retimed(_ record: SampleRecord) -> SampleRecord {
    var record = record
    record.decodeTime = record.decodeTime.saturatingAdd(shift)
    record.presentationTime = record.presentationTime.saturatingAdd(shift)
    if record.number == lastNumber, let lastDuration { record.duration = lastDuration }
    return record
  }
}

/// From when to when a track's samples are shown.
struct MediaSpan {
  /// When the earliest sample is shown.
  private(set) var firstShown = Int64.max
  /// When the sample that is shown last ends.
  private(set) var shownEnd = Int64.min
  private var last: SampleRecord?

  /// The number of the last sample.
  var lastNumber: UInt64? { last?.number }

  /// Adds a sample, in decoding order.
  mutating func add(_ record: SampleRecord) {
    firstShown = min(firstShown, record.presentationTime)
    shownEnd = max(shownEnd, record.presentationTime.saturatingAdd(record.duration))
    last = record
  }

  /// How long the last sample lasts if what is shown ends at a time inside it; `nil` if that is not inside it, or other
  /// samples are shown later.
  func last(cutAt end: Int64) -> Int64? {
    guard let last, last.presentationTime.saturatingAdd(last.duration) == shownEnd, last.presentationTime < end,
      end < shownEnd
    else { return nil }
    return end.saturatingSubtract(last.presentationTime)
  }
}
