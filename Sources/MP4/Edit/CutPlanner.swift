internal import ISOBMFF
internal import MediaCore

/// Plans a stretch of a movie as a movie of its own: the samples that it needs with new tables, and everything else as
/// it was.
struct CutPlanner {
  private let clip: MovieClip
  private let tracks: [MovieTrack]
  private let layout: MovieLayout
  private var extents = MediaExtents()
  private var summary = MovieEditor.Summary()
  /// Ticks that a decoder yields for the packets of the track that was collected last.
  private var capacity: Int64 = 0

  /// - Parameters:
  ///   - clip: a stretch of a movie that is not in fragments.
  ///   - tracks: the tracks that are kept.
  init(_ clip: MovieClip, tracks: [MovieTrack], layout: MovieLayout) {
    self.clip = clip
    self.tracks = tracks
    self.layout = layout
  }

  /// - Throws: `MP4Error`: what is wrong with the movie, `.emptyClip`.
  mutating func plan() throws(MP4Error) -> (OutputPlan, MovieEditor.Summary) {
    let movie = clip.movie
    var cut: [RemuxedTrack] = []
    for track in tracks {
      let heard = track.heardTicks(by: movie.metadata)
      cut.append(try collect(try TrackCut(track, heard: heard, in: clip, movieTimescale: timescale)))
    }
    guard cut.contains(where: \.hasSamples) else { throw MP4Error(.emptyClip, file: movie.reader.source.name) }
    summary.output.tracks = cut.count
    var header = MovieHeaderBuilder(movie, timescale: timescale).progressive(cut)
    header.moov.cutChapterList(to: clip)
    header.moov.replaceGaplessText(with: gaplessText(cut))
    let index = MovieBoxTemplate(moov: header.moov, chunkOffsets: header.chunkOffsets, reader: movie.moovReader)
    for track in cut {
      if let tables = track.tables { summary.output.retimed.note(tables.retiming, trackID: track.source.id) }
    }
    let extras = try ExtraBoxes(movie, recover: false, summary: &summary.output)
    for item in extras.items { extents.add(offset: item.offset, count: item.count) }
    extents.arrange()
    let builder = ProgressivePlanBuilder(
      movie, tracks: tracks, index: index, extents: extents, extras: extras, isIndexFirst: layout != .moovLast)
    return (try builder.plan(), summary)
  }

  /// Ticks per second of the edits: those of the sound, so that edits are exact to its frames.
  private var timescale: UInt32 {
    let own = clip.movie.timescale
    let kinds: [Track.Kind] = [.audio, .video]
    let track = kinds.lazy.compactMap { kind in tracks.first { $0.description.kind == kind } }.first
    guard let finest = track?.description.timescale else { return own }
    return own.isMultiple(of: finest) ? own : finest
  }

  /// Notes where the samples of a track are, and builds its tables.
  private mutating func collect(_ cut: TrackCut) throws(MP4Error) -> RemuxedTrack {
    let track = cut.track
    var selection = SampleSelection()
    let tables: BuiltTrackTables
    if let frames = FrameTableBuilder(track) {
      tables = try collect(cut, frames)
    } else if let slice = try SampleTableSlice(track, cut.samples, end: cut.soundEnd) {
      for chunk in slice.chunks { extents.add(offset: chunk.offset, count: chunk.count) }
      selection = SampleSelection(slice.samples)
      capacity = slice.capacity
      tables = slice.finished()
    } else {
      (tables, selection) = try collectEach(cut)
    }
    var encryption = SampleEncryptionReader(track)
    var result = RemuxedTrack(track, encryption: try encryption.read()?.selecting(selection))
    summary.output.note(encryption, of: track, hasNewTables: true)
    result.annotations = try SampleAnnotationReader(track).read()?.selecting(selection)
    result.tables = tables
    result.edits = tables.sampleCount > 0 ? cut.edits.map { $0.counted(in: timescale) } : []
    return result
  }

  /// Looks at each sample, some of which may have to be left out.
  private mutating func collectEach(_ cut: TrackCut) throws(MP4Error) -> (BuiltTrackTables, SampleSelection) {
    var builder = TrackTablesBuilder(cut.track)
    var selection = SampleSelection()
    var usual: Int64?
    var samples = cut.track.samples()
    if cut.samples.lowerBound > 0 { try samples.seek(toSample: cut.samples.lowerBound) }
    // Added once the next one is known.
    var last: SampleRecord?
    var isGap = false
    while let record = try samples.nextRecord(), record.number < cut.samples.upperBound {
      guard let kept = cut.kept(record) else {
        isGap = true
        continue
      }
      if var sample = last {
        // Otherwise it would also cover the pictures left out after it, and players stop at a sample that seems to last
        // beyond the end.
        if isGap { sample.moveUp(to: kept.decodeTime) }
        builder.add(sample)
      }
      (last, isGap) = (kept, false)
      // All packets yield as much as the first, whatever the last one says.
      usual = usual ?? record.duration
      extents.add(offset: kept.offset, count: UInt64(kept.size))
      selection.append(kept.number)
    }
    if let last { builder.add(last) }
    let tables = builder.finished()
    capacity = Int64(clamping: Int128(usual ?? 0) * Int128(tables.sampleCount))
    return (tables, selection)
  }

  private mutating func collect(_ cut: TrackCut, _ frames: FrameTableBuilder) throws(MP4Error) -> BuiltTrackTables {
    var builder = frames
    var samples = cut.track.samples()
    if cut.samples.lowerBound > 0 { try samples.seek(toSample: cut.samples.lowerBound) }
    while let piece = try samples.nextRecord(), piece.number < cut.samples.upperBound {
      let added = builder.add(piece, cut.samples)
      extents.add(offset: added.offset, count: added.count)
    }
    return builder.finished()
  }

  /// The text that says how much of the sound is heard, for a movie of nothing but one track of it.
  private func gaplessText(_ cut: [RemuxedTrack]) -> String? {
    guard cut.count == 1, let track = cut.first, let tables = track.tables, track.edits.count == 1,
      let edit = track.edits.first, let start = edit.mediaTime
    else { return nil }
    let priming = start.value.saturatingSubtract(tables.firstTime)
    let frames = edit.duration.since(.zero, in: track.source.description.timescale).value
    let remainder = capacity.saturatingSubtract(priming).saturatingSubtract(frames)
    return GaplessText.make(priming: priming, remainder: remainder, frames: frames)
  }
}

extension Edit {
  /// The same with its duration in another timescale.
  fileprivate func counted(in timescale: UInt32) -> Edit {
    var edit = self
    edit.duration = duration.since(.zero, in: timescale)
    return edit
  }
}

extension SampleRecord {
  /// Decodes a sample later, directly before the next one, but no later than it is shown.
  fileprivate mutating func moveUp(to next: Int64) {
    decodeTime = max(decodeTime, min(next.saturatingSubtract(duration), presentationTime))
  }
}
