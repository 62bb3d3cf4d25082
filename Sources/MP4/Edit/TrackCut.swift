internal import ISOBMFF
package import MediaCore

/// Which samples of a track a stretch of its movie needs.
///
/// What is shown begins inside a sample, which cannot be shown without others: pictures need the sync sample before
/// them and all that follow it, a packet of sound needs those that it overlaps with. They are kept and hidden by the
/// edit list.
struct TrackCut {
  let track: MovieTrack
  /// How they are shown.
  let edits: [Edit]
  /// Numbers of the samples that are kept, apart from pictures that cannot be decoded; of PCM, those of the frames.
  let samples: Range<UInt64>
  /// What is shown, in ticks of the track.
  private let shown: Range<Int64>
  /// Pictures shown before this time are left out: they come after the first sync sample, but need what was before it.
  private let firstDecodable: Int64
  /// When the first visible picture is shown in the source. In the output it is shown from the cut on, because players
  /// leave out a picture that begins before the edit does.
  private let firstPicture: Int64?
  /// When the last packet of sound ends, if that is earlier than it would.
  let soundEnd: Int64?

  /// Chooses the samples.
  ///
  /// - Parameters:
  ///   - track: a track of a movie that is not in fragments.
  ///   - heard: the ticks of sound that are heard, where a tag says so and no edit list does.
  ///   - clip: the stretch.
  ///   - movieTimescale: ticks per second of the movie that is made; `nil` for those of the track.
  /// - Throws: `MP4Error`: what is wrong with the index.
  init(
    _ track: MovieTrack, heard: Range<Int64>? = nil, in clip: MovieClip, movieTimescale: UInt32? = nil
  ) throws(MP4Error) {
    self.track = track
    let timescale = track.description.timescale
    let isSound = track.description.kind == .audio
    let extent = if let known = clip.extents[track.id] { known } else { try TrackExtent(track) }
    let media = extent.shown
    let heard = heard ?? clip.priming[track.id].map { media.lowerBound.saturatingAdd($0)..<Int64.max }
    let edits = TrackCut.edits(of: track, media: media, heard: heard)
    let clipped = ClippedEdits(
      edits, media: media, timescale: timescale, isSound: isSound, from: clip.start, to: clip.end)
    guard let shown = clipped.media else {
      self.edits = clipped.edits
      (samples, shown, soundEnd, firstDecodable, firstPicture) = (0..<0, 0..<0, nil, .min, nil)
      return
    }
    self.shown = shown
    soundEnd = isSound && !clipped.isWholeAtEnd ? shown.upperBound : nil
    let needed = shown.lowerBound..<shown.upperBound.saturatingAdd(PreRoll.decoderDelay(of: track))
    let search = try Search(track, for: needed, leastOffset: extent.leastOffset)
    self.edits =
      isSound
      ? clipped.edits : clipped.edits(countedIn: movieTimescale ?? timescale, lastStart: search.lastShown)
    let first = clipped.isWholeAtStart ? 0 : search.first
    samples = first..<max(clipped.isWholeAtEnd ? .max : search.end, first)
    let isPictureCut = track.description.kind == .video && !clipped.isWholeAtStart
    firstDecodable = isPictureCut ? search.firstTime : .min
    firstPicture = isPictureCut ? search.lastTime : nil
  }

  /// The edits that apply: a gapless tag counts only if they cut nothing off. Empty edits at the beginning, which delay
  /// the track, are kept even then.
  fileprivate static func edits(of track: MovieTrack, media: Range<Int64>, heard: Range<Int64>?) -> [Edit] {
    let (edits, timescale) = (track.description.edits, track.description.timescale)
    guard let heard else {
      return track.description.kind == .video ? edits.showing(nothingBefore: media.lowerBound, timescale) : edits
    }
    let whole = ClippedEdits(
      edits, media: media, timescale: timescale, isSound: track.description.kind == .audio, from: .zero, to: nil)
    guard edits.isEmpty || whole.media == media else { return edits }
    return edits.prefix { $0.mediaTime == nil } + [Edit(heard.clamped(to: media), timescale: timescale)]
  }

  /// A pass over the samples that finds the first and the last one that are needed.
  private struct Search {
    private(set) var first: UInt64 = 0
    /// The presentation time of the sample at which decoding begins.
    private(set) var firstTime = Int64.min
    /// When the last sample is shown that begins no later than what is shown.
    private(set) var lastTime: Int64?
    /// When the last sample begins that is shown.
    private(set) var lastShown: Int64?
    private(set) var end: UInt64 = 0

    /// - Parameters:
    ///   - shown: what is shown; of sound, up to what the decoder has to be given for that.
    ///   - leastOffset: how long after it is decoded a sample is shown at least, if that is known.
    init(_ track: MovieTrack, for shown: Range<Int64>, leastOffset: Int64?) throws(MP4Error) {
      if try findSteadily(track, shown) { return }
      var samples = track.samples()
      let packing = track.index.table.packing
      // The sync samples at or before the first that is shown: as many as a decoder has to warm up with, and it.
      var syncs: [(number: UInt64, time: Int64)] = []
      let count = PreRoll.packets(of: track) + 1
      while let record = try samples.nextRecord() {
        // From here on, all are shown later.
        if let leastOffset, record.decodeTime.saturatingAdd(leastOffset) >= shown.upperBound { break }
        if record.presentationTime <= shown.lowerBound {
          lastTime = max(lastTime ?? .min, record.presentationTime)
        }
        if record.isSync, record.presentationTime <= shown.lowerBound {
          if syncs.count == count { syncs.removeFirst() }
          syncs.append(
            (record.number + (packing?.frames(before: shown.lowerBound, in: record) ?? 0), record.presentationTime))
        }
        if record.presentationTime < shown.upperBound {
          lastShown = max(lastShown ?? .min, record.presentationTime)
          end = record.number + (packing?.frames(before: shown.upperBound, in: record) ?? 1)
        }
      }
      if let start = syncs.first { (first, firstTime) = start }
    }

    /// Finds them by the times of runs.
    ///
    /// - Returns: whether that was possible.
    private mutating func findSteadily(_ track: MovieTrack, _ shown: Range<Int64>) throws(MP4Error) -> Bool {
      guard let times = try SteadyTimes(track.index.table),
        let begun = try times.samples(before: shown.lowerBound.saturatingAdd(1)),
        let needed = try times.samples(before: shown.upperBound)
      else { return false }
      let before = UInt64(PreRoll.packets(of: track)) + 1
      first = begun.count > before ? begun.count - before : 0
      end = needed.count
      if needed.count > 0 { lastShown = needed.lastStart }
      guard begun.count > 0 else { return true }
      lastTime = begun.lastStart
      // Of packets before that, only their number matters.
      if before == 1 { firstTime = begun.lastStart }
      return true
    }
  }

  // MARK: What is left of the samples

  /// Whether its samples can begin later: texts, unless they hold times of their own, as those of TTML do.
  private var isMovable: Bool {
    track.description.kind == .text && !track.description.descriptions.contains { $0.codec == "stpp" }
  }

  /// How much earlier than the first visible picture the sync sample it depends on is shown.
  var lead: MediaTime {
    let ticks = firstDecodable == .min ? 0 : shown.lowerBound.saturatingSubtract(firstDecodable)
    return MediaTime(value: max(ticks, 0), timescale: track.description.timescale)
  }

  /// The sample as it goes into the output; `nil` if it is left out.
  func kept(_ record: SampleRecord) -> SampleRecord? {
    guard record.presentationTime >= firstDecodable else { return nil }
    var record = record
    if record.presentationTime == firstPicture { record.presentationTime = shown.lowerBound }
    let end = record.presentationTime.saturatingAdd(record.duration)
    if isMovable, record.presentationTime == record.decodeTime {
      // A text is the same all the time: it can begin later. Many players do not look at the edits of texts.
      let start = max(record.presentationTime, shown.lowerBound)
      (record.presentationTime, record.decodeTime) = (start, start)
      record.duration = min(end, shown.upperBound).saturatingSubtract(start)
    } else if let soundEnd, end > soundEnd {
      // A packet may be there only for what a decoder yields late: it lasts no time.
      record.presentationTime = min(record.presentationTime, soundEnd)
      record.decodeTime = min(record.decodeTime, soundEnd)
      record.duration = soundEnd.saturatingSubtract(record.presentationTime)
    }
    return record
  }
}

extension MP4Demuxer {
  /// The edits of a track that apply: its own, or, if they cut nothing off, one that a gapless tag means.
  ///
  /// - Throws: `MP4Error`: what is wrong with the index.
  package func appliedEdits(of track: Track) throws(MP4Error) -> [Edit] {
    guard let own = movieTracks.first(where: { $0.id == track.id }), let heard = own.heardTicks(by: metadata) else {
      return track.edits
    }
    return TrackCut.edits(of: own, media: try TrackExtent(own).shown, heard: heard)
  }
}

extension [Edit] {
  /// The same edits, with the time before the first picture turned into an empty edit; otherwise ffmpeg shows that
  /// picture too early.
  ///
  /// - Parameter first: when the first picture is shown, in ticks of the media.
  fileprivate func showing(nothingBefore first: Int64, _ timescale: UInt32) -> [Edit] {
    guard first > 0 else { return self }
    let beginning = MediaTime(value: first, timescale: timescale)
    func whole(_ duration: MediaTime) -> Edit { Edit(duration: duration, mediaTime: beginning) }
    guard !isEmpty else {
      return [Edit(duration: beginning, mediaTime: nil), whole(MediaTime(value: 0, timescale: timescale))]
    }
    return flatMap { edit -> [Edit] in
      guard let start = edit.mediaTime, start < beginning, edit.rate == 1 else { return [edit] }
      let nothing = beginning - start
      guard edit.duration.value > 0 else { return [Edit(duration: nothing, mediaTime: nil), whole(edit.duration)] }
      guard nothing < edit.duration else { return [Edit(duration: edit.duration, mediaTime: nil)] }
      return [Edit(duration: nothing, mediaTime: nil), whole(edit.duration - nothing)]
    }
  }
}

extension Edit {
  /// An edit that shows these ticks.
  init(_ ticks: Range<Int64>, timescale: UInt32) {
    self.init(
      duration: MediaTime(value: ticks.upperBound.saturatingSubtract(ticks.lowerBound), timescale: timescale),
      mediaTime: MediaTime(value: ticks.lowerBound, timescale: timescale))
  }
}

extension SampleTable.Packing {
  /// How many frames of a piece of PCM begin before a time.
  fileprivate func frames(before time: Int64, in piece: SampleRecord) -> UInt64 {
    let count = UInt64(piece.size) / UInt64(max(bytes, 1)) * UInt64(max(frames, 1))
    let ticks = UInt64(max(piece.duration, 1))
    let offset = UInt64(max(time.saturatingSubtract(piece.presentationTime), 0))
    // Below 2^128 as both are below 2^64.
    let frames = (UInt128(offset) * UInt128(count) + UInt128(ticks) - 1) / UInt128(ticks)
    return min(UInt64(clamping: frames), count)
  }
}
