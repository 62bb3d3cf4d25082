internal import ISOBMFF
internal import MediaCore

/// What the samples of a track add up to.
struct TrackTimes: Sendable, Equatable {
  /// When the first sample is decoded; `nil` without any.
  private(set) var firstDecode: Int64?
  /// When the earliest sample is shown.
  private(set) var firstShown: Int64 = 0
  /// When the sample that is shown last ends.
  private(set) var lastShownEnd: Int64 = 0
  /// The smallest and the largest number of ticks from decoding to showing.
  private(set) var offsets: ClosedRange<Int64> = 0...0
  /// How many samples there are.
  private(set) var count: UInt64 = 0

  /// Adds a sample in decoding order.
  mutating func add(_ sample: EncodedSample) {
    // A sample without duration and bytes takes no part in the presentation.
    if sample.timing.duration > 0 || sample.payload.count > 0 { count += 1 }
    note(sample.timing)
  }

  /// Notes the times of a sample, or of where the samples will begin.
  mutating func note(_ timing: SampleTiming) {
    let end = timing.presentationTime.saturatingAdd(timing.duration)
    let offset = timing.presentationTime.saturatingSubtract(timing.decodeTime)
    if firstDecode == nil {
      (firstDecode, firstShown, lastShownEnd) = (timing.decodeTime, timing.presentationTime, end)
      offsets = offset...offset
    } else {
      firstShown = min(firstShown, timing.presentationTime)
      lastShownEnd = max(lastShownEnd, end)
      offsets = min(offsets.lowerBound, offset)...max(offsets.upperBound, offset)
    }
  }
}

/// Where the presentation begins in the media of each track.
///
/// Samples come with times on a common clock. The presentation begins with whatever any track shows first, after an
/// encoder's priming; what a track shows later than that stays later.
struct MuxedTimeline {
  private let tracks: [MuxerTrack]
  private let times: [TrackTimes]
  private let movieTimescale: UInt32
  /// When the presentation begins.
  let start: MediaTime
  /// When the first sample of all is decoded.
  let origin: MediaTime

  init(_ tracks: [MuxerTrack], _ times: [TrackTimes], movieTimescale: UInt32) {
    self.tracks = tracks
    self.times = times
    self.movieTimescale = movieTimescale
    var starts: [MediaTime] = []
    var origins: [MediaTime] = []
    for (track, times) in zip(tracks, times) {
      guard let first = times.firstDecode else { continue }
      let decode = MediaTime(value: first, timescale: track.track.timescale)
      let shown = MediaTime(value: times.firstShown.saturatingAdd(track.priming), timescale: track.track.timescale)
      // Where edits are given, they define what is shown: all tracks of such a movie are moved by the same amount.
      let lead = MuxedTimeline.editor(of: track, movieTimescale).lead(firstTime: first)
      if let start = track.edits == nil ? shown : lead { starts.append(start) }
      origins.append(decode)
    }
    start = starts.min() ?? .zero
    origin = origins.min() ?? .zero
  }

  /// The edits of a track whose media begins with its first sample, and how long it is shown. The tables count its
  /// samples as shown at another time if edits cannot express theirs.
  func progressive(_ track: Int, _ tables: inout BuiltTrackTables) -> (edits: [Edit], duration: MediaTime) {
    let muxed = tracks[track]
    let timescale = muxed.fileTimescale
    let edits: [Edit]
    if muxed.edits == nil {
      edits = derived(track, tables)
    } else {
      let result = MuxedTimeline.editor(of: muxed, movieTimescale).edits(of: tables, leftOut: start)
      if !result.isExact { tables.noteMove() }
      edits = result.edits
    }
    let whole = tables.length(in: timescale).since(.zero, in: movieTimescale, rounding: .up)
    return (edits, EditList(edits, media: tables.shown, timescale: timescale).duration ?? whole)
  }

  /// The edits that keep the samples' own times: nothing until the track has something to show, then all of it.
  private func derived(_ track: Int, _ tables: BuiltTrackTables) -> [Edit] {
    guard let first = times[track].firstDecode else { return [] }
    let muxed = tracks[track]
    let timescale = muxed.track.timescale
    let shown = times[track].firstShown.saturatingAdd(muxed.priming)
    let lead = muxed.fileTicks(max(shown.saturatingSubtract(first), 0), rounding: .nearest)
    let length = MediaTime(
      value: max(times[track].lastShownEnd.saturatingSubtract(max(shown, first)), 0), timescale: timescale)
    var edits: [Edit] = []
    if let late = delay(of: MediaTime(value: shown, timescale: timescale)) {
      edits.append(Edit(duration: late, mediaTime: nil))
    }
    if edits.isEmpty, lead == 0, length == tables.length(in: muxed.fileTimescale) { return [] }
    let duration = length.converted(to: movieTimescale, rounding: .up)
    edits.append(
      Edit(
        duration: duration ?? MediaTime(value: 0, timescale: movieTimescale),
        mediaTime: MediaTime(value: lead, timescale: muxed.fileTimescale)))
    return edits
  }

  /// How much later than the presentation something begins, in ticks of the movie; `nil` if it is not later.
  private func delay(of time: MediaTime) -> MediaTime? {
    let delay = time.since(start, in: movieTimescale)
    return delay.value > 0 ? delay : nil
  }

  /// A builder that moves the edits given for a track.
  private static func editor(of muxed: MuxerTrack, _ movieTimescale: UInt32) -> EditListBuilder {
    var track = muxed.track
    track.edits = (muxed.edits ?? []).map { inTicks($0, of: movieTimescale) }
    return EditListBuilder(track, movieTimescale: movieTimescale)
  }

  private static func inTicks(_ edit: Edit, of movieTimescale: UInt32) -> Edit {
    var edit = edit
    edit.duration = edit.duration.since(.zero, in: movieTimescale)
    return edit
  }

  /// Bounds of the composition offsets, where some are negative, so that a reader need not scan all of them.
  ///
  /// Source: ISO/IEC 14496-12, 8.6.1.4.
  func compositionBounds(_ track: Int) -> [BoxNode] {
    let times = times[track]
    guard times.offsets.lowerBound < 0, let first = times.firstDecode else { return [] }
    var box = CompositionToDecodeBox()
    box.versionAndFlags.version = 1
    box.compositionToDTSShift = Int64(0).saturatingSubtract(times.offsets.lowerBound)
    box.leastDecodeToDisplayDelta = times.offsets.lowerBound
    box.greatestDecodeToDisplayDelta = times.offsets.upperBound
    box.compositionStartTime = times.firstShown.saturatingSubtract(first)
    box.compositionEndTime = times.lastShownEnd.saturatingSubtract(first)
    return [BoxNode("cslg", box)]
  }

  // MARK: Fragments

  /// The duration of what was written in fragments.
  var fragmentedDuration: MediaTime {
    var longest = MediaTime(value: 0, timescale: movieTimescale)
    for track in tracks.indices where times[track].firstDecode != nil {
      let timescale = tracks[track].fileTimescale
      let length = max(times[track].lastShownEnd.saturatingSubtract(base(of: track)), 0)
      let end = tracks[track].fileTicks(length, rounding: .up)
      let whole = MediaTime(value: end, timescale: timescale).since(.zero, in: movieTimescale, rounding: .up)
      let edits = EditList(fragmented(track, isOver: true), media: 0..<end, timescale: timescale)
      longest = max(longest, edits.duration ?? whole)
    }
    return longest
  }

  /// What is subtracted from the times of a track in fragments: tracks stay on one clock, which begins with the first
  /// sample of all.
  func base(of track: Int) -> Int64 {
    origin.converted(to: tracks[track].track.timescale, rounding: .down)?.value ?? 0
  }

  /// The edits of a track in fragments. How long they last is not known until it is over: 0 means "to the end".
  ///
  /// - Parameter isOver: whether all samples are there. Then the edit of a track with coarse ticks ends between two of
  ///   them if its samples do.
  func fragmented(_ track: Int, isOver: Bool = false) -> [Edit] {
    let muxed = tracks[track]
    let timescale = muxed.track.timescale
    let base = base(of: track)
    if let given = muxed.edits {
      return given.map { edit in
        var edit = MuxedTimeline.inTicks(edit, of: movieTimescale)
        edit.mediaTime = edit.mediaTime.map {
          MediaTime(value: max($0.value.saturatingSubtract(base), 0), timescale: timescale)
        }
        return edit
      }
    }
    let begin = start.since(.zero, in: timescale).value
    guard begin > base else { return [] }
    let isCut = isOver && muxed.coarseTimescale != nil
    let length = isCut ? max(times[track].lastShownEnd.saturatingSubtract(begin), 0) : 0
    return [
      Edit(
        duration: MediaTime(value: length, timescale: timescale).since(.zero, in: movieTimescale, rounding: .up),
        mediaTime: MediaTime(
          value: muxed.fileTicks(begin.saturatingSubtract(base), rounding: .nearest), timescale: muxed.fileTimescale))
    ]
  }
}

/// Chooses the timescale of a movie's edits.
enum MovieTimescale {
  /// The smallest timescale that expresses the ticks of all tracks and of the given edits. If that takes more than 31
  /// bits, of what is seen and heard; then of sound, whose edits have to be exact; otherwise the finest track's.
  static func choose(for tracks: [MuxerTrack]) -> UInt32 {
    let all = tracks.flatMap { [$0.track.timescale] + ($0.edits ?? []).map(\.duration.timescale) }
    let sound = tracks.filter { $0.priming != 0 || $0.track.kind == .audio }.map(\.track.timescale)
    let media = tracks.filter { $0.track.kind == .video || $0.track.kind == .audio }.map(\.track.timescale)
    return common(all) ?? common(media) ?? common(sound) ?? all.max() ?? 1000
  }

  /// The least common multiple, if it fits in 31 bits: the field has 32, but ffmpeg reads it as signed, as do the
  /// players that are built on it.
  static func common(_ timescales: [UInt32]) -> UInt32? {
    .leastCommonMultiple(of: timescales, limit: UInt32(Int32.max))
  }
}
