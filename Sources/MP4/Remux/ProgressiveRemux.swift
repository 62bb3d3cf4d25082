internal import ISOBMFF
internal import MediaCore

/// Plans a progressive output: one index for all samples, in front of the media or behind it.
///
/// A track that has such an index already keeps it byte for byte: only where its chunks lie changes. For a track in
/// fragments, or one that is not whole, an index is made from its samples.
struct ProgressiveRemux {
  private let movie: MP4Demuxer
  private let tracks: [Int]
  private let options: Remuxer.Options
  private var extents = MediaExtents()
  private var summary = Remuxer.Summary()

  init(_ movie: MP4Demuxer, tracks: [Int], options: Remuxer.Options) {
    self.movie = movie
    self.tracks = tracks
    self.options = options
  }

  mutating func plan() throws(MP4Error) -> (OutputPlan, Remuxer.Summary) {
    summary.dropped += try movie.undescribedTracks(options)
    let index = try index()
    let extras = try ExtraBoxes(movie, recover: options.recover, summary: &summary)
    for item in extras.items { extents.add(offset: item.offset, count: item.count) }
    extents.arrange()
    let builder = ProgressivePlanBuilder(
      movie, index: index, extents: extents, extras: extras, isIndexFirst: options.layout != .moovLast)
    return (try builder.plan(), summary)
  }

  /// The index of the output, for media that can still go anywhere.
  mutating func index() throws(MP4Error) -> MovieBoxTemplate {
    var indexes: [RemuxedTrack] = []
    for place in tracks { indexes.append(try collect(place)) }
    summary.tracks = indexes.count
    summary.leftOut = movie.fragmentBoxes
    let header = MovieHeaderBuilder(movie).progressive(indexes)
    for index in indexes {
      guard var made = index.made else { continue }
      if header.movedTracks.contains(index.place) { made.noteMove() }
      summary.retimed.note(made.retiming, trackID: movie.tracks[index.place].id)
    }
    return MovieBoxTemplate(moov: header.moov, chunkOffsets: header.chunkOffsets, reader: movie.moovReader)
  }

  /// Goes through a track's samples: notes where they are, and makes an index where theirs cannot be kept.
  private mutating func collect(_ place: Int) throws(MP4Error) -> RemuxedTrack {
    let index = movie.indexes[place]
    let isKept = index.fragments?.entries.isEmpty ?? true
    var samples = movie.samples(at: place)
    var builder = isKept ? nil : builder(of: place)
    var count: UInt64 = 0
    var shared = SharedBytes()
    do throws(MP4Error) {
      while let record = try samples.nextRecord() {
        extents.add(offset: record.offset, count: UInt64(record.size))
        builder?.add(record)
        count += 1
        shared.note(offset: record.offset, count: UInt64(record.size))
      }
      // Samples that no chunk holds, or of one size that lie over one another: kept as they are, they would be more than
      // a reader can believe of a file that is no larger than what it holds.
      let isTooMany = count < index.table.sampleCount || shared.isFound && index.table.sizes.isConstant
      if builder == nil, index.table.packing == nil, isTooMany { builder = try remade(place, count) }
    } catch {
      guard options.recover, error.isDamage else { throw error }
      summary.dropped.append(error)
      if builder == nil { builder = try remade(place, count) }
    }
    var encryption = SampleEncryptionReader(movie, place: place)
    var annotations = builder == nil ? nil : try SampleAnnotationReader(movie, place: place).read()
    var result = RemuxedTrack(
      place: place, encryption: try completed(try encryption.read(), &annotations, place, count))
    if let made = builder?.finished() {
      // Fragments need no sample table in the header. Without one there is nowhere to put this index.
      if count > 0, movie.traks[place].first("mdia", "minf", "stbl") == nil {
        let error = MP4Error(
          .missingBox("stbl"), file: movie.reader.source.name, trackID: movie.tracks[place].id,
          path: "moov/trak/mdia/minf")
        guard options.recover else { throw error }
        summary.dropped.append(error)
      }
      result.made = made
      result.annotations = annotations
    } else {
      result.kept = try ChunkOffsetList(index.table).offsets
    }
    return result
  }

  /// Encryption data with something for each of the first `count` samples, if it has something for any.
  private func completed(
    _ encryption: SampleEncryption?, _ annotations: inout SampleAnnotations?, _ place: Int, _ count: UInt64
  ) throws(MP4Error) -> SampleEncryption? {
    guard let encryption, encryption.lacksSome(of: Int(clamping: count)) else { return encryption }
    let trak = movie.traks.indices.contains(place) ? movie.traks[place] : nil
    let descriptions = movie.tracks[place].descriptions
    let layout = EncryptionLayout(trak, descriptions: descriptions)
    guard layout.isProtectedByDefault else { return encryption }
    var completer = SampleEncryptionCompleter(encryption, descriptions: descriptions, layout: layout)
    var samples = movie.samples(at: place)
    // A long sample takes many parts, so what samples share counts each time.
    var allowance = PayloadAllowance(for: movie)
    for number in 0..<count {
      guard let record = try samples.nextRecord() else { break }
      try allowance.take(record.size)
      completer.add(record, isClear: annotations?.isClear(number) ?? false)
    }
    annotations?.dissolveClearGroups()
    return completer.finished()
  }

  private func builder(of place: Int) -> TrackTablesBuilder {
    let trak = movie.traks.indices.contains(place) ? movie.traks[place] : nil
    return TrackTablesBuilder(timescale: movie.tracks[place].timescale, trak: trak)
  }

  /// An index of the first `count` samples of a track that turned out not to be whole.
  private func remade(_ place: Int, _ count: UInt64) throws(MP4Error) -> TrackTablesBuilder {
    var builder = builder(of: place)
    var samples = movie.samples(at: place)
    for _ in 0..<count {
      guard let record = try samples.nextRecord() else { break }
      builder.add(record)
    }
    return builder
  }
}

/// A track of the output.
struct RemuxedTrack {
  /// Its place among the movie's tracks.
  let place: Int
  /// Where its chunks lie in the source, if it keeps its index.
  var kept: [UInt64]?
  /// The index made for it, if it does not.
  var made: BuiltTrackTables?
  /// What else is said of its samples, if the index does not hold it.
  var annotations: SampleAnnotations?
  /// What decrypting its samples takes.
  let encryption: SampleEncryption?

  init(place: Int, encryption: SampleEncryption?) {
    self.place = place
    self.encryption = encryption
  }
}

extension MP4Error {
  /// Whether it is about damage in the movie, which leaves the samples before it as they are.
  var isDamage: Bool {
    switch code {
    case .box, .sampleOutsideFile, .timeOverflow: true
    default: false
    }
  }
}

/// Where the chunks of a track lie, all of them.
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
