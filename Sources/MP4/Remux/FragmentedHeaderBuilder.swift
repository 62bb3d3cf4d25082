internal import ISOBMFF
internal import MediaCore

/// Builds the movie header of a fragmented output: all that describes the tracks, but no samples.
struct FragmentedHeaderBuilder {
  private let movie: MP4Demuxer
  private let tracks: [Int]

  private let annotations: [SampleAnnotations?]
  private let timings: [FragmentTiming]

  /// - Parameters:
  ///   - annotations: what else is said of the samples of each track, in the order of `tracks`.
  ///   - timings: what becomes of the edits of each track.
  init(_ movie: MP4Demuxer, tracks: [Int], annotations: [SampleAnnotations?], timings: [FragmentTiming]) {
    self.movie = movie
    self.tracks = tracks
    self.annotations = annotations
    self.timings = timings
  }

  var moov: BoxNode {
    var moov = movie.moov
    var place = 0
    let there = Set(tracks.map { movie.tracks[$0].id })
    moov.children = movie.moov.children.compactMap { node in
      guard node.type == "trak" else { return node.type == "mvex" ? nil : node }
      defer { place += 1 }
      guard let index = tracks.firstIndex(of: place) else { return nil }
      var trak = node
      if tracks.count < movie.traks.count { trak.keepReferences(to: there) }
      empty(&trak)
      if let edits = timings[index].edits { trak.setEdits(edits) }
      if let annotations = annotations[index] { trak.changeSampleTable { annotations.describe(in: &$0) } }
      return trak
    }
    moov.change("mvhd") { $0.edit(MovieHeaderBox.self) { $0.duration = 0 } }
    let end = moov.children.lastIndex { $0.type == "trak" }.map { $0 + 1 } ?? moov.children.count
    moov.children.insert(extends, at: end)
    return moov
  }

  /// Samples come with the fragments: the tables are there, as the standard asks, and empty.
  private func empty(_ trak: inout BoxNode) {
    var none = SampleTableBuilder()
    trak.replaceSampleTables(with: none.boxes(of: nil) + [.chunkOffsets([], isWide: false)])
    trak.change("mdia") { $0.change("mdhd") { $0.edit(MediaHeaderBox.self) { $0.duration = 0 } } }
    trak.change("tkhd") { $0.edit(TrackHeaderBox.self) { $0.duration = 0 } }
  }

  /// Says that fragments follow, and how long the movie is with them.
  private var extends: BoxNode {
    var header = MovieExtendsHeaderBox()
    let ticks = movie.duration.converted(to: movie.timescale, rounding: .up)?.value ?? 0
    header.fragmentDuration = UInt64(max(ticks, 0))
    header.versionAndFlags.version = header.fragmentDuration > UInt64(UInt32.max) ? 1 : 0
    let defaults = tracks.map { place in
      var box = TrackExtendsBox()
      box.trackID = movie.tracks[place].id
      return BoxNode("trex", box)
    }
    return BoxNode("mvex", children: [BoxNode("mehd", header)] + defaults)
  }
}
