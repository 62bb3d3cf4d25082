internal import ISOBMFF
internal import MediaCore

/// Builds an output's movie header from the source's: what need not change is left untouched.
struct MovieHeaderBuilder {
  private let movie: MP4Demuxer
  /// Ticks per second of the output's edits, if not to be chosen here.
  private let fixedTimescale: UInt32?
  /// Tables that count samples or chunks, and are replaced when new ones are built.
  static let tables: Set<FourCC> = [
    "stts", "ctts", "cslg", "stsz", "stz2", "stsc", "stco", "co64", "stss", "stps", "sdtp", "stdp", "padb", "subs",
    "stsh", "sbgp", "csgp", "saiz", "saio", "senc",
  ]

  /// - Parameter timescale: ticks per second of the output's edits, which are all written anew; `nil` for those of the
  ///   movie, if they suffice.
  init(_ movie: MP4Demuxer, timescale: UInt32? = nil) {
    self.movie = movie
    fixedTimescale = timescale
  }

  /// A movie header whose chunk offsets are still to be filled in: those of the source, one list per track.
  struct Progressive {
    var moov: BoxNode
    var chunkOffsets: [[UInt64]] = []
    /// Numbers of the tracks whose timing relative to the others changed.
    var movedTracks: Set<UInt32> = []
  }

  /// The header of a progressive movie.
  ///
  /// Fragments may be cut out of a stream whose header has edits for its beginning, which then hide everything. Players
  /// that do not apply such edits show the fragments, and so does the movie: it leaves the edits out.
  func progressive(_ tracks: [RemuxedTrack]) -> Progressive {
    guard showsNothing(of: tracks) else { return header(tracks) }
    var shown = tracks
    for index in shown.indices { shown[index].edits = [] }
    var result = header(shown)
    result.movedTracks = Set(tracks.map(\.source.id))
    return result
  }

  /// Whether the edits hide every sample of the movie.
  private func showsNothing(of tracks: [RemuxedTrack]) -> Bool {
    let filled = tracks.filter(\.hasSamples)
    return !filled.isEmpty
      && filled.allSatisfy { track in
        guard let tables = track.tables else { return false }
        return editor(of: track).showsNothing(firstTime: tables.firstTime)
      }
  }

  private func editor(of track: RemuxedTrack) -> EditListBuilder {
    EditListBuilder(track.description, movieTimescale: movie.timescale)
  }

  private func header(_ tracks: [RemuxedTrack]) -> Progressive {
    let tracks = showFromZero(tracks)
    let chosen = Dictionary(uniqueKeysWithValues: tracks.map { ($0.source.id, $0) })
    let kept = chosen.count < movie.describedTracks.count ? Set(chosen.keys) : nil
    let leftOut = shortestLead(tracks)
    let timescale = timescale(for: tracks)
    var result = Progressive(moov: movie.moov)
    var durations: [MediaTime] = []
    result.moov = movie.movieBox { source, node in
      guard let track = chosen[source.id] else { return nil }
      var trak = node
      if let kept { trak.keepReferences(to: kept) }
      var description = track.description
      if timescale != movie.timescale { description.countEdits(in: timescale) }
      if let tables = track.tables {
        result.chunkOffsets.append(tables.chunkOffsets)
        let edits = EditListBuilder(description, movieTimescale: timescale).edits(of: tables, leftOut: leftOut)
        if !edits.isExact { result.movedTracks.insert(source.id) }
        durations.append(install(tables, in: &trak, track: description, edits.edits, movieTimescale: timescale))
        if let annotations = track.annotations {
          trak.changeSampleTable { annotations.install(in: &$0, samples: tables.sampleCount) }
        }
      } else {
        result.chunkOffsets.append(track.chunkOffsets)
        trak.changeSampleTable { stbl in stbl.children.removeAll { $0.type == "stco" || $0.type == "co64" } }
        if timescale != movie.timescale { trak.setEdits(description.edits) }
        durations.append(description.duration)
      }
      // The data it points to is not carried over.
      trak.changeSampleTable { stbl in stbl.children.removeAll(where: \.isOtherInformation) }
      if let encryption = track.encryption { install(encryption, in: &trak, sampleCount: track.tables?.sampleCount) }
      return trak
    }
    // If nothing else changed, the header is left untouched.
    if kept != nil || tracks.contains(where: { $0.tables != nil }), let longest = durations.max() {
      result.moov.completeMovieHeader(timescale: timescale)
      setDuration(of: &result.moov, to: longest, in: timescale)
    }
    return result
  }

  // MARK: Tracks with new tables

  /// How much of its lead each track leaves out: the shortest lead of all tracks.
  private func shortestLead(_ tracks: [RemuxedTrack]) -> MediaTime {
    // A track that keeps its tables keeps its edits too, and cannot begin later.
    if tracks.contains(where: { $0.tables == nil && $0.hasSamples }) { return .zero }
    return leads(tracks).min() ?? .zero
  }

  /// How long each track that has samples shows nothing at first; 0 for one that keeps its tables.
  private func leads(_ tracks: [RemuxedTrack]) -> [MediaTime] {
    tracks.filter(\.hasSamples).compactMap { track in
      guard let tables = track.tables else { return .zero }
      return editor(of: track).lead(firstTime: tables.firstTime)
    }
  }

  /// Keeps edits from cutting off what is shown before 0, a time that they cannot express, by showing it later.
  private func showFromZero(_ tracks: [RemuxedTrack]) -> [RemuxedTrack] {
    let areTogether = Set(leads(tracks)).count < 2
    return tracks.map { track in
      guard let tables = track.tables, tables.firstShown < 0, let shown = tables.shownFromZero() else { return track }
      let isCut = track.edits.contains { $0.mediaTime.map { $0.value < tables.firstTime } ?? false }
      guard track.edits.isEmpty ? !areTogether : isCut else { return track }
      var result = track
      result.tables = shown
      return result
    }
  }

  /// Ticks per second of the movie's edits: those of the source, unless they are so long that tracks would audibly
  /// drift apart, and all edits are written anew.
  private func timescale(for tracks: [RemuxedTrack]) -> UInt32 {
    if let fixedTimescale { return fixedTimescale }
    let source = movie.timescale
    let longest = tracks.lazy.flatMap(\.edits).map(\.duration.value).max() ?? 0
    guard source < MovieHeaderBuilder.leastTimescale, tracks.count > 1,
      tracks.allSatisfy({ $0.tables != nil || !$0.hasSamples }),
      longest < Int64.max / Int64(MovieHeaderBuilder.usualTimescale)
    else { return source }
    // A multiple, so that what was exact stays exact.
    return MovieHeaderBuilder.usualTimescale / source * source
  }

  /// Video and sound less than a hundredth of a second apart are in sync.
  private static let leastTimescale: UInt32 = 100
  /// The timescale that is common for video, a multiple of most frame rates.
  private static let usualTimescale: UInt32 = 90_000

  /// - Returns: the track's duration in the presentation.
  private func install(
    _ tables: BuiltTrackTables, in trak: inout BoxNode, track: Track, _ edits: [Edit], movieTimescale: UInt32
  ) -> MediaTime {
    trak.replaceSampleTables(with: tables.boxes)
    trak.change("mdia") { mdia in
      mdia.change("mdhd") { $0.edit(MediaHeaderBox.self) { $0.setDuration(tables.duration) } }
    }
    trak.setEdits(edits)
    let length =
      EditList(edits, media: tables.shown, timescale: track.timescale).duration
      ?? tables.length(in: track.timescale).since(.zero, in: movieTimescale, rounding: .up)
    trak.change("tkhd") { $0.edit(TrackHeaderBox.self) { $0.setDuration(UInt64(max(length.value, 0))) } }
    return length
  }

  /// Encryption data is laid out anew, as its file offset changes.
  private func install(_ encryption: SampleEncryption, in trak: inout BoxNode, sampleCount: UInt64?) {
    let count = min(Int(clamping: sampleCount ?? .max), encryption.sampleCount)
    trak.changeSampleTable { stbl in
      stbl.children.removeAll { SampleEncryption.types.contains($0.type) }
      let boxes = encryption.boxes(from: 0, to: count)
      stbl.children += boxes
      if !boxes.isEmpty { EncryptionLayout.completeEntries(of: &stbl) }
    }
  }

  private func setDuration(of moov: inout BoxNode, to duration: MediaTime, in timescale: UInt32) {
    guard let ticks = duration.converted(to: timescale, rounding: .up)?.value else { return }
    moov.change("mvhd") { mvhd in
      mvhd.edit(MovieHeaderBox.self) { box in
        box.timescale = timescale
        box.setDuration(UInt64(max(ticks, 0)))
      }
    }
  }
}

extension Track {
  /// Converts the edits to another timescale.
  fileprivate mutating func countEdits(in timescale: UInt32) {
    edits = edits.map { edit in
      var edit = edit
      edit.duration = edit.duration.since(.zero, in: timescale)
      return edit
    }
  }
}

extension BoxNode {
  /// Drops references to tracks that the output does not have.
  mutating func keepReferences(to there: Set<UInt32>) {
    change("tref") { tref in
      for index in tref.children.indices {
        tref.children[index].edit(TrackReferenceTypeBox.self) { box in
          box.trackIDs = PackedTable(box.trackIDs.entries.filter(there.contains))
        }
      }
      tref.children.removeAll { $0.box(as: TrackReferenceTypeBox.self)?.trackIDs.count == 0 }
    }
    children.removeAll { $0.type == "tref" && $0.children.isEmpty }
  }

  /// Makes sure that the movie states its timescale: without one, players show nothing of an edited track.
  mutating func completeMovieHeader(timescale: UInt32) {
    if let header = child("mvhd", as: MovieHeaderBox.self) {
      if header.timescale == 0 { change("mvhd") { $0.edit(MovieHeaderBox.self) { $0.timescale = timescale } } }
      return
    }
    var header = MovieHeaderBox()
    header.timescale = timescale
    header.nextTrackID = .max
    children.insert(BoxNode("mvhd", header), at: 0)
  }

  /// Changes the sample table of a track.
  mutating func changeSampleTable(_ body: (inout BoxNode) -> Void) {
    change("mdia") { mdia in mdia.change("minf") { minf in minf.change("stbl") { body(&$0) } } }
  }

  /// Replaces all tables that count a track's samples or chunks with new ones.
  mutating func replaceSampleTables(with tables: [BoxNode]) {
    changeSampleTable { stbl in
      let others = stbl.children.filter { !MovieHeaderBuilder.tables.contains($0.type) }
      // The standard asks for `stsd` first and likes the tables after it.
      stbl.children = others.filter { $0.type == "stsd" } + tables + others.filter { $0.type != "stsd" }
    }
  }

  /// Replaces a track's edits; without any, the list is removed.
  mutating func setEdits(_ edits: [Edit]) {
    children.removeAll { $0.type == "edts" }
    guard !edits.isEmpty else { return }
    var list = EditListBox()
    list.versionAndFlags.version = 1
    list.edits64 = PackedTable(
      edits.map { edit in
        EditEntry64(
          segmentDuration: UInt64(max(edit.duration.value, 0)), mediaTime: edit.mediaTime?.value ?? -1,
          mediaRate: edit.fixedRate)
      })
    let index = children.firstIndex { $0.type == "tkhd" }.map { $0 + 1 } ?? 0
    children.insert(BoxNode("edts", children: [BoxNode("elst", list)]), at: index)
  }
}

extension Edit {
  /// The rate in 16.16 fixed point, rounded towards zero and clamped; NaN becomes the normal rate.
  fileprivate var fixedRate: Int32 {
    let scaled = (rate * 65536).rounded(.towardZero)
    if scaled.isNaN { return 65536 }
    return Int32(exactly: scaled) ?? (scaled < 0 ? .min : .max)
  }
}
