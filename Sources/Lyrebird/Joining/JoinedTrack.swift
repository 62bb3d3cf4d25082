internal import MP4
internal import MediaCore

/// A track of the output, whose samples are pulled one after another.
protocol JoinedTrack: AnyObject {
  /// What it is.
  var description: MuxerTrack { get }
  /// Packets of AAC that were kept so far, and that were encoded anew.
  var keptPackets: UInt64 { get }
  var encodedPackets: UInt64 { get }
  /// Whether an edit list hides what is between the parts.
  var hasEdits: Bool { get }

  /// The next sample, at its time in the output; `nil` after the last one.
  func next() throws -> EncodedSample?
}

/// A track whose samples are all kept.
///
/// If nothing of the parts is hidden, their samples follow one another in one timeline, that of the presentation, and
/// no edits are needed. Otherwise, where parts begin with an encoder's priming or with pictures that only others need,
/// the parts follow one another as they are, and an edit for each shows what is to be shown.
final class CopiedTrack: JoinedTrack {
  private(set) var description: MuxerTrack
  let hasEdits: Bool
  var keptPackets: UInt64 { 0 }
  var encodedPackets: UInt64 { 0 }

  private let timescale: UInt32
  private var pieces: ArraySlice<Piece>
  private var samples: SampleReader?
  /// The numbers of a part's descriptions among those of all parts.
  private struct Piece {
    let movie: MP4Demuxer
    let track: Track
    let descriptions: [Int]
    /// What is added to the times of its samples.
    let shift: Int64
  }

  /// - Throws: `MP4Error`.
  init(_ row: JoinRow, _ parts: [MP4Demuxer], starts: [MediaTime], duration: MediaTime) throws(MP4Error) {
    timescale = row.timescale
    var placed: [(part: Int, media: PartMedia)] = []
    for (part, track) in row.tracks.enumerated() {
      guard let track else { continue }
      if let media = try PartMedia(parts[part], track, timescale) { placed.append((part, media)) }
    }
    hasEdits = !placed.allSatisfy(\.media.isWhole)
    var all: [SampleDescription] = []
    var pieces: [Piece] = []
    var edits = JoinedEdits(timescale: timescale)
    for (part, media) in placed {
      let numbers = media.track.descriptions.map { description in
        all.firstIndex { $0.entry == description.entry } ?? all.endIndex
      }
      for (number, description) in zip(numbers, media.track.descriptions) where number == all.endIndex {
        all.append(description)
      }
      let shift =
        hasEdits
        ? edits.add(media, at: starts[part])
        : (starts[part] + media.delay).since(.zero, in: timescale).value.saturatingSubtract(media.start)
      pieces.append(Piece(movie: parts[part], track: media.track, descriptions: numbers, shift: shift))
    }
    var track = row.first
    (track.timescale, track.descriptions, track.references) = (timescale, all, [:])
    description = MuxerTrack(track)
    description.track.sampleCount = 0
    description.edits = hasEdits ? edits.edits : nil
    self.pieces = pieces[...]
  }

  func next() throws -> EncodedSample? {
    while let piece = pieces.first {
      if samples == nil { samples = piece.movie.samples(of: piece.track) }
      guard var sample = try samples?.next() else {
        samples = nil
        pieces.removeFirst()
        continue
      }
      var timing = sample.timing
      let ratio = Int64(timescale / timing.timescale)
      let isWhole = timescale.isMultiple(of: timing.timescale)
      func ticks(_ value: Int64) -> Int64 {
        if isWhole { return value.multipliedReportingOverflow(by: ratio).partialValue }
        return MediaTime(value: value, timescale: timing.timescale).since(.zero, in: timescale).value
      }
      timing = SampleTiming(
        decodeTime: ticks(timing.decodeTime).saturatingAdd(piece.shift),
        presentationTime: ticks(timing.presentationTime).saturatingAdd(piece.shift), duration: ticks(timing.duration),
        timescale: timescale)
      sample.timing = timing
      sample.descriptionIndex =
        piece.descriptions.indices.contains(sample.descriptionIndex) ? piece.descriptions[sample.descriptionIndex] : 0
      return sample
    }
    return nil
  }
}

/// The media of a part's track, and what is shown of it, in ticks of the output.
struct PartMedia {
  let track: Track
  /// When its first sample is decoded or shown, whichever is earlier, and when the last one ends.
  let extent: Range<Int64>
  /// The media time at which what is shown begins.
  let start: Int64
  /// How long nothing is shown before.
  let delay: MediaTime
  /// Whether all samples are shown, once and in a row.
  let isWhole: Bool
  /// The edits; one for everything if the track has none.
  let edits: [Edit]

  /// - Returns: `nil` for a track without samples.
  init?(_ movie: MP4Demuxer, _ track: Track, _ timescale: UInt32) throws(MP4Error) {
    self.track = track
    func ticks(_ value: Int64) -> Int64 {
      MediaTime(value: value, timescale: track.timescale).since(.zero, in: timescale).value
    }
    var samples = movie.samples(of: track)
    var (begin, firstShown, end): (Int64, Int64, Int64) = (.max, .max, .min)
    while let record = try samples.nextRecord() {
      begin = min(begin, record.decodeTime, record.presentationTime)
      firstShown = min(firstShown, record.presentationTime)
      end = max(end, record.presentationTime.saturatingAdd(max(record.duration, 0)))
    }
    guard begin <= end else { return nil }
    extent = ticks(begin)..<ticks(end)
    delay = track.edits.prefix { $0.mediaTime == nil }.reduce(MediaTime.zero) { $0 + $1.duration }
    let shown = track.edits.filter { $0.mediaTime != nil }
    guard let first = shown.first, let time = first.mediaTime?.value else {
      let whole = MediaTime(value: end.saturatingSubtract(firstShown), timescale: track.timescale)
      edits = [Edit(duration: whole, mediaTime: MediaTime(value: firstShown, timescale: track.timescale))]
      (start, isWhole) = (ticks(firstShown), true)
      return
    }
    edits = track.edits
    start = ticks(time)
    let rest = MediaTime(value: end.saturatingSubtract(time), timescale: track.timescale)
    let tick = MediaTime(value: 1, timescale: first.duration.timescale)
    let isToEnd = first.duration.value == 0 || rest < first.duration + tick
    isWhole = shown.count == 1 && first.rate == 1 && time <= firstShown && isToEnd && track.kind != .text
      || track.kind == .text && time <= firstShown
  }
}

/// Edits for parts that follow one another in the media.
struct JoinedEdits {
  private(set) var edits: [Edit] = []
  private let timescale: UInt32
  /// Where the media of the next part goes.
  private var end: Int64 = 0
  /// How long the edits are.
  private var length = MediaTime.zero

  init(timescale: UInt32) { self.timescale = timescale }

  /// Adds a part.
  ///
  /// - Returns: what is to be added to the times of its samples.
  mutating func add(_ media: PartMedia, at start: MediaTime) -> Int64 {
    let shift = end.saturatingSubtract(media.extent.lowerBound)
    let gap = start - length
    if gap > .zero { append(Edit(duration: gap, mediaTime: nil)) }
    for edit in media.edits {
      var moved = edit
      if let time = edit.mediaTime {
        let ticks = time.since(.zero, in: timescale).value
        moved.mediaTime = MediaTime(value: ticks.saturatingAdd(shift), timescale: timescale)
        if edit.duration.value == 0 {
          let rest = media.extent.upperBound.saturatingSubtract(ticks)
          moved.duration = MediaTime(value: max(rest, 0), timescale: timescale)
        }
      }
      append(moved)
    }
    end = end.saturatingAdd(media.extent.upperBound.saturatingSubtract(media.extent.lowerBound))
    return shift
  }

  private mutating func append(_ edit: Edit) {
    edits.append(edit)
    length += edit.duration
  }
}
