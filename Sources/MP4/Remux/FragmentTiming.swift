internal import MediaCore

/// A track's edits, applied to the times of its fragments as far as possible.
///
/// Players of fragmented streams (Chromium's Media Source, ffmpeg) take only the start of the first edit from an edit
/// list: they ignore a delay given by an empty edit, and an end. What they do follow is the time of each fragment and
/// the duration of each sample: so the delay goes into the time of the first fragment, and the end into the duration of
/// the last sample.
struct FragmentTiming {
  /// Ticks by which all samples are later than in the source.
  private(set) var shift: Int64 = 0
  /// The edits that remain in a list; `nil` to keep the source's list.
  private(set) var edits: [Edit]?
  /// The duration of the last sample in ticks, where the end of the edit cuts it short.
  private var lastDuration: Int64?
  /// The number of the last sample.
  private var lastNumber: UInt64?

  /// Changes neither samples nor edits.
  init() {}

  /// - Parameter media: the times that the track's samples span, in its own ticks.
  init(_ track: Track, movieTimescale: UInt32, media: MediaSpan) {
    // Only a list can express several shown edits, or one at another speed.
    guard let edit = track.edits.firstShown, track.edits.count == track.edits.delay.count + 1, edit.rate == 1,
      let start = edit.mediaTime?.value, start >= 0
    else { return }
    let empty = track.edits.delay.reduce(MediaTime(value: 0, timescale: movieTimescale)) { $0.adding($1.duration) }
    let delay = max(empty.since(.zero, in: track.timescale).value, 0)
    // Times that do not fit in 64 bits stay in the list, which needs no sums.
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
      // Something is cut off at the start, such as an encoder's priming: it fits into the delay.
      edits = [Edit(duration: empty, mediaTime: nil), at(delay, lasting: edit.duration)]
    } else {
      edits = begin == 0 && isOpen ? [] : [at(begin, lasting: empty.adding(edit.duration))]
    }
  }

  /// The most ticks by which a sample may be decoded later than it is shown.
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

/// The time span in which a track's samples are shown.
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

  /// The duration of the last sample if the edit ends inside it; `nil` if it does not, or if other samples are shown
  /// later.
  func last(cutAt end: Int64) -> Int64? {
    guard let last, last.presentationTime.saturatingAdd(last.duration) == shownEnd, last.presentationTime < end,
      end < shownEnd
    else { return nil }
    return end.saturatingSubtract(last.presentationTime)
  }
}
