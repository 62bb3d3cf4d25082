internal import ISOBMFF
internal import MediaCore

/// Plans a progressive output: one index for all samples, before the media or after it.
///
/// A track that already has such an index keeps it byte for byte: only the chunk offsets change. For a track in
/// fragments, or a damaged one, an index is built from its samples.
struct ProgressiveRemux {
  private let movie: MP4Demuxer
  private let tracks: [MovieTrack]
  private let options: Remuxer.Options
  private var extents = MediaExtents()
  private var summary = Remuxer.Summary()

  init(_ movie: MP4Demuxer, tracks: [MovieTrack], options: Remuxer.Options) {
    self.movie = movie
    self.tracks = tracks
    self.options = options
  }

  mutating func plan() throws(MP4Error) -> (OutputPlan, Remuxer.Summary) {
    summary.dropped += try movie.undescribedTracks(options)
    var index = try index()
    var media: SourceReader?
    if let chapters = options.chapters {
      let replaced = ReplacedChapters(chapters.sorted { $0.start < $1.start }, in: movie)
      index = replaced.installed(in: index)
      media = replaced.media
      extents.add(offset: replaced.titles.offset, count: replaced.titles.count)
    }
    let extras = try ExtraBoxes(movie, recover: options.recover, summary: &summary)
    for item in extras.items { extents.add(offset: item.offset, count: item.count) }
    extents.arrange()
    let builder = ProgressivePlanBuilder(
      movie, tracks: tracks, index: index, extents: extents, media: media, extras: extras,
      isIndexFirst: options.layout != .moovLast)
    return (try builder.plan(), summary)
  }

  /// The output's index, while the media can still go anywhere.
  mutating func index() throws(MP4Error) -> MovieBoxTemplate {
    var remuxed: [RemuxedTrack] = []
    for track in tracks { remuxed.append(try collect(track)) }
    summary.tracks = remuxed.count
    summary.leftOut.merge(movie.fragmentBoxes) { $0 + $1 }
    var header = MovieHeaderBuilder(movie).progressive(remuxed)
    if let text = gaplessText(remuxed) { header.moov.replaceGaplessText(with: text) }
    for track in remuxed {
      guard var tables = track.tables else { continue }
      if header.movedTracks.contains(track.source.id) { tables.noteMove() }
      summary.retimed.note(tables.retiming, trackID: track.source.id)
    }
    return MovieBoxTemplate(moov: header.moov, chunkOffsets: header.chunkOffsets, reader: movie.moovReader)
  }

  /// Reads through a track's samples: notes where they are, and builds sample tables where the track's own cannot be
  /// kept.
  private mutating func collect(_ track: MovieTrack) throws(MP4Error) -> RemuxedTrack {
    let table = track.index.table
    var samples = track.samples()
    var builder = track.fragments.isEmpty ? nil : TrackTablesBuilder(track)
    var count: UInt64 = 0
    var shared = SharedBytes()
    var isCut = false
    do throws(MP4Error) {
      while let record = try samples.nextRecord() {
        extents.add(offset: record.offset, count: UInt64(record.size))
        builder?.add(record)
        count += 1
        shared.note(offset: record.offset, count: UInt64(record.size))
      }
      // Samples that no chunk holds, or overlapping samples of constant size: a reader would refuse to believe that
      // many of a file that is no larger than what it holds.
      let isTooMany = count < table.sampleCount || shared.isFound && table.sizes.isConstant
      if builder == nil, table.packing == nil, isTooMany { builder = try rebuilt(track, count) }
    } catch {
      guard options.recover, error.isDamage else { throw error }
      summary.dropped.append(error)
      isCut = true
      if builder == nil { builder = try rebuilt(track, count) }
    }
    var encryption = SampleEncryptionReader(track)
    var annotations = builder == nil ? nil : try SampleAnnotationReader(track).read()
    var result = RemuxedTrack(track, encryption: try completed(try encryption.read(), &annotations, track, count))
    summary.note(encryption, of: track, hasNewTables: builder != nil)
    if let tables = builder?.finished() {
      // Fragments need no sample table in the header. Without one these tables have nowhere to go.
      if count > 0, track.sampleTable == nil {
        let error = track.failure(.missingBox("stbl"), path: "moov/trak/mdia/minf")
        guard options.recover else { throw error }
        summary.dropped.append(error)
      }
      result.tables = tables
      result.annotations = annotations
      if isCut { result.endWithSamples() }
    } else {
      result.chunkOffsets = try ChunkOffsetList(table).offsets
    }
    return result
  }

  /// The `iTunSMPB` tag of a movie whose sound was cut off, with the frames that are left; `nil` if the movie has none,
  /// or it is about what is there.
  private func gaplessText(_ tracks: [RemuxedTrack]) -> String? {
    let sound = tracks.first { $0.source.description.kind == .audio }
    return sound?.cutEnd.flatMap { sound?.source.gaplessText(cutAt: $0, movie.metadata) }
  }

  /// Encryption data with an entry for each of the first `count` samples, if any of them has one.
  private func completed(
    _ encryption: SampleEncryption?, _ annotations: inout SampleAnnotations?, _ track: MovieTrack, _ count: UInt64
  ) throws(MP4Error) -> SampleEncryption? {
    guard let encryption, encryption.lacksSome(of: Int(clamping: count)) else { return encryption }
    let layout = EncryptionLayout(track)
    guard layout.isProtectedByDefault else { return encryption }
    var completer = SampleEncryptionCompleter(
      encryption, descriptions: track.description.descriptions, layout: layout)
    var samples = track.samples()
    // The entry of a long sample has many parts, so shared bytes count each time.
    var allowance = PayloadAllowance(for: movie)
    for number in 0..<count {
      guard let record = try samples.nextRecord() else { break }
      try allowance.take(record.size)
      completer.add(record, isClear: annotations?.isClear(number) ?? false)
    }
    annotations?.dissolveClearGroups()
    return completer.finished()
  }

  /// Tables of the first `count` samples of a track that turned out to be damaged. Its index is read a second time:
  /// only the first pass shows that the tables cannot be kept, and building them for every track would slow down all
  /// movies for the sake of a few.
  private func rebuilt(_ track: MovieTrack, _ count: UInt64) throws(MP4Error) -> TrackTablesBuilder {
    var builder = TrackTablesBuilder(track)
    var samples = track.samples()
    for _ in 0..<count {
      guard let record = try samples.nextRecord() else { break }
      builder.add(record)
    }
    return builder
  }
}

/// A track of the output.
struct RemuxedTrack {
  let source: MovieTrack
  /// The edits that apply: those of the source, unless they would hide the whole movie.
  var edits: [Edit]
  /// The offsets of its chunks in the source, if it keeps its sample tables.
  var chunkOffsets: [UInt64] = []
  /// The sample tables that were built for it, if it does not.
  var tables: BuiltTrackTables?
  /// What built tables do not hold about its samples: groups and sub-samples.
  var annotations: SampleAnnotations?
  /// What is needed to decrypt its samples.
  let encryption: SampleEncryption?
  /// When the last sample ends, in ticks of the media, if those after it were lost.
  private(set) var cutEnd: Int64?

  init(_ source: MovieTrack, encryption: SampleEncryption?) {
    self.source = source
    edits = source.description.edits
    self.encryption = encryption
  }

  /// Whether it has any samples.
  var hasSamples: Bool { tables.map { $0.sampleCount > 0 } ?? source.hasSamples }

  /// Ends its edits with the last sample shown, of a track whose end was lost: players would show nothing, or the last
  /// picture, up to the end that the edits state.
  mutating func endWithSamples() {
    guard let tables else { return }
    let end = tables.firstTime.saturatingAdd(tables.lastShownEnd)
    cutEnd = end
    edits = edits.cut(at: end)
  }

  /// Its description in the output.
  var description: Track {
    var result = source.description
    result.edits = edits
    return result
  }
}

extension TrackTablesBuilder {
  /// A builder for the samples of a track of a movie.
  init(_ track: MovieTrack) {
    self.init(timescale: track.description.timescale, trak: track.trak)
  }
}

extension MP4Error {
  /// Whether it is about damage in the movie, which leaves the samples before it intact.
  var isDamage: Bool {
    switch code {
    case .box, .sampleOutsideFile, .timeOverflow: true
    default: false
    }
  }
}

/// The offsets of all chunks of a track.
struct ChunkOffsetList {
  private(set) var offsets: [UInt64] = []

  init(_ table: SampleTable) throws(MP4Error) {
    switch table.chunkOffsets {
    case .narrow(let location):
      var window = TableWindow<UInt32>(location)
      offsets.reserveCapacity(location.count)
      for index in 0..<location.count { offsets.append(UInt64(try window.entry(at: index))) }
    case .wide(let location):
      var window = TableWindow<UInt64>(location)
      offsets.reserveCapacity(location.count)
      for index in 0..<location.count { offsets.append(try window.entry(at: index)) }
    case nil: break
    }
  }
}
