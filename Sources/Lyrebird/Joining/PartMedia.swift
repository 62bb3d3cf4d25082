internal import MP4
internal import MediaCore

/// The media of a part's track, and what is shown of it, in ticks of the output.
struct PartMedia {
  let track: Track
  /// When its first sample is decoded or shown, whichever is earlier, and when the last one ends.
  let extent: Range<Int64>
  /// The media time at which what is shown begins.
  let start: Int64
  /// How long nothing is shown before.
  private(set) var delay: MediaTime
  /// How long it is in the presentation.
  private(set) var length: MediaTime
  /// Whether all samples are shown, once and in a row.
  let isWhole: Bool
  /// Ticks of each packet of AAC in the part's own timescale, if all are on one grid and only the last ones are shorter.
  /// They are decoded to whole packets whatever they last, and come that much before the next part's; `nil` otherwise.
  let grid: Int64?
  /// The edits; one for everything if the track has none.
  private(set) var edits: [Edit]
  /// When the last sample begins that is shown, in ticks of the track.
  private let lastStart: Int64

  /// - Returns: `nil` for a track without samples.
  init?(_ movie: MP4Demuxer, _ track: Track, _ timescale: UInt32) throws(MP4Error) {
    self.track = track
    if movie.isExternal(track) {
      throw MP4Error(.externalData, file: movie.reader.source.name, trackID: track.id)
    }
    func ticks(_ value: Int64) -> Int64 {
      MediaTime(value: value, timescale: track.timescale).since(.zero, in: timescale).value
    }
    let applied = try movie.appliedEdits(of: track)
    let shown = applied.filter { $0.mediaTime != nil }
    let shownEnd = shown.last.map { PartMedia.end(of: $0, track.timescale) } ?? .max
    var samples = movie.samples(of: track)
    var (begin, firstShown, end): (Int64, Int64, Int64) = (.max, .max, .min)
    var lastStart = Int64.min
    var packets = GridCheck(track)
    while let record = try samples.nextRecord() {
      begin = min(begin, record.decodeTime, record.presentationTime)
      firstShown = min(firstShown, record.presentationTime)
      if record.presentationTime < shownEnd { lastStart = max(lastStart, record.presentationTime) }
      end = max(end, record.presentationTime.saturatingAdd(max(record.duration, 0)))
      packets.note(record)
    }
    guard begin <= end else { return nil }
    self.lastStart = lastStart
    grid = packets.ticks
    extent = ticks(begin)..<ticks(max(end, packets.end ?? end))
    guard let first = shown.first, let time = first.mediaTime?.value else {
      let whole = MediaTime(value: end.saturatingSubtract(firstShown), timescale: track.timescale)
      let beginning = MediaTime(value: firstShown, timescale: track.timescale)
      (start, isWhole) = (ticks(firstShown), true)
      edits = [Edit(duration: max(beginning, .zero), mediaTime: nil), Edit(duration: whole, mediaTime: beginning)]
      (delay, length) = (max(beginning, .zero), whole + max(beginning, .zero))
      return
    }
    delay = applied.delayTime
    let rest = MediaTime(value: max(end.saturatingSubtract(time), 0), timescale: track.timescale)
    let tick = MediaTime(value: 1, timescale: first.duration.timescale)
    let isToEnd = first.duration.value == 0 || rest < first.duration + tick
    edits = applied.map { edit in
      var edit = edit
      // To the end, as edits of fragments may have it, or as near to it as its ticks allow: see `AudioTrim`.
      let isRest = shown.count == 1 && track.kind == .audio && isToEnd && first.rate == 1
      if edit.mediaTime != nil, edit.duration.value == 0 || isRest { edit.duration = rest }
      return edit
    }
    length = edits.reduce(MediaTime.zero) { $0 + $1.duration }
    start = ticks(time)
    isWhole = time <= firstShown && (track.kind == .text || shown.count == 1 && first.rate == 1 && isToEnd)
  }

  /// When an edit ends, in ticks of its track.
  private static func end(of edit: Edit, _ timescale: UInt32) -> Int64 {
    guard edit.rate == 1, edit.duration.value > 0, let start = edit.mediaTime?.value else { return .max }
    return start.saturatingAdd(edit.duration.since(.zero, in: timescale, rounding: .up).value)
  }

  /// Whether it is longer than a time, but no more than begin and end may have been rounded to its ticks, and would
  /// show the same if it ended then: the last picture has to stay for a tick.
  func mayEnd(at time: MediaTime) -> Bool {
    let excess = length - time
    guard excess > .zero, excess < MediaTime(value: 2, timescale: track.timescale), excess < PartMedia.mostRounding,
      let last = edits.last, last.rate == 1
    else { return false }
    guard let start = last.mediaTime?.value else { return true }
    let ticks = max(lastStart.saturatingSubtract(start), 0).saturatingAdd(1)
    return last.duration - excess >= MediaTime(value: ticks, timescale: track.timescale)
  }

  /// A hundredth of a second: where a tick is longer, more than rounding is meant.
  private static let mostRounding = MediaTime(value: 1, timescale: 100)

  /// Begins earlier, if the track has no edits of its own.
  mutating func leaveOut(_ lead: MediaTime) {
    guard track.edits.isEmpty, lead > .zero else { return }
    let most = min(lead, delay)
    delay -= most
    length -= most
    edits[0].duration = delay
  }
}

/// Finds whether packets of AAC are on a grid.
private struct GridCheck {
  /// Ticks of a packet; `nil` if there is no grid.
  private(set) var ticks: Int64?
  /// When the next packet is to be decoded; `nil` before the first.
  private var next: Int64?
  /// Whether a packet was shorter than the others. Only packets without duration may follow it.
  private var isEnding = false
  private let isAAC: Bool

  init(_ track: Track) {
    isAAC = track.descriptions.allSatisfy { description in
      guard description.codec == "mp4a", case .audio(let format) = description.format else { return false }
      return format.objectType == 0x40
    }
  }

  /// When the last packet would end if it were whole.
  var end: Int64? { ticks == nil ? nil : next }

  mutating func note(_ record: SampleRecord) {
    guard isAAC else { return }
    if next == nil { ticks = record.duration > 1 ? record.duration : nil }
    let time = next ?? record.decodeTime
    next = time
    guard let ticks else { return }
    let isOnGrid = isEnding ? record.duration == 0 : record.decodeTime == time
    guard isOnGrid, record.decodeTime == record.presentationTime, record.duration <= ticks else {
      self.ticks = nil
      return
    }
    isEnding = record.duration < ticks
    next = time.saturatingAdd(ticks)
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
    if gap < .zero, let last = edits.last, last.duration + gap > .zero {
      edits[edits.count - 1].duration += gap
      length += gap
    }
    for edit in media.edits {
      var moved = edit
      if let time = edit.mediaTime {
        let ticks = time.since(.zero, in: timescale).value
        moved.mediaTime = MediaTime(value: ticks.saturatingAdd(shift), timescale: timescale)
      }
      append(moved)
    }
    end = end.saturatingAdd(media.extent.upperBound.saturatingSubtract(media.extent.lowerBound))
    return shift
  }

  private mutating func append(_ edit: Edit) {
    // An empty edit of no length confuses players.
    if edit.mediaTime == nil, edit.duration <= .zero { return }
    edits.append(edit)
    length += edit.duration
  }
}
