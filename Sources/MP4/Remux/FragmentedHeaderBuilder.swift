internal import ISOBMFF
internal import MediaCore

/// Builds the movie header of a fragmented output: everything that describes the tracks, but no samples.
struct FragmentedHeaderBuilder {
  /// A track of the output.
  struct Content {
    let track: MovieTrack
    /// What the index does not hold about its samples: groups and sub-samples.
    let annotations: SampleAnnotations?
    /// Its description in the output.
    private(set) var description: Track
    /// What becomes of its edits.
    var timing = FragmentTiming()
    /// When the last sample ends, in ticks of the media, if those after it were lost.
    private(set) var cutEnd: Int64?

    init(track: MovieTrack, annotations: SampleAnnotations?) {
      (self.track, self.annotations, description) = (track, annotations, track.description)
    }

    /// Notes that what comes after a time of the media, in ticks, was lost.
    mutating func cut(at end: Int64) {
      cutEnd = end
      description.edits = description.edits.cut(at: end)
      let (media, timescale) = (0..<max(end, 0), description.timescale)
      let edits = EditList(description.edits, media: media, timescale: timescale)
      description.duration = edits.duration ?? MediaTime(value: media.upperBound, timescale: timescale)
    }

    /// The edits that replace those of the source; `nil` to keep them.
    var edits: [Edit]? { timing.edits ?? (cutEnd == nil ? nil : description.edits) }
  }

  private let movie: MP4Demuxer
  private let contents: [Content]

  init(_ movie: MP4Demuxer, _ contents: [Content]) {
    self.movie = movie
    self.contents = contents
  }

  var moov: BoxNode {
    let chosen = Dictionary(uniqueKeysWithValues: contents.map { ($0.track.id, $0) })
    let kept = chosen.count < movie.describedTracks.count ? Set(chosen.keys) : nil
    var moov = movie.movieBox { track, node in
      guard let content = chosen[track.id] else { return nil }
      var trak = node
      if let kept { trak.keepReferences(to: kept) }
      empty(&trak)
      if let edits = content.edits { trak.setEdits(edits) }
      if let annotations = content.annotations { trak.changeSampleTable { annotations.describe(in: &$0) } }
      return trak
    }
    if let text = gaplessText { moov.replaceGaplessText(with: text) }
    moov.change("mvhd") { $0.edit(MovieHeaderBox.self) { $0.duration = 0 } }
    let end = moov.children.lastIndex { $0.type == "trak" }.map { $0 + 1 } ?? moov.children.count
    moov.children.insert(extends, at: end)
    return moov
  }

  /// The `iTunSMPB` tag of a movie whose sound was cut off, with the frames that are left.
  private var gaplessText: String? {
    let sound = contents.first { $0.description.kind == .audio }
    return sound?.cutEnd.flatMap { sound?.track.gaplessText(cutAt: $0, movie.metadata) }
  }

  /// Samples come with the fragments: the tables are present, as the standard requires, but empty.
  private func empty(_ trak: inout BoxNode) {
    var none = SampleTableBuilder()
    trak.replaceSampleTables(with: none.boxes(nil) + [.chunkOffsets([], isWide: false)])
    trak.change("mdia") { $0.change("mdhd") { $0.edit(MediaHeaderBox.self) { $0.duration = 0 } } }
    trak.change("tkhd") { $0.edit(TrackHeaderBox.self) { $0.duration = 0 } }
  }

  /// Says that fragments follow, and how long the movie is with them.
  private var extends: BoxNode {
    var header = MovieExtendsHeaderBox()
    let longest = contents.map(\.description.duration).max() ?? .zero
    let ticks = longest.converted(to: movie.timescale, rounding: .up)?.value ?? 0
    header.fragmentDuration = UInt64(max(ticks, 0))
    header.versionAndFlags.version = header.fragmentDuration > UInt64(UInt32.max) ? 1 : 0
    let defaults = contents.map { content in
      var box = TrackExtendsBox()
      box.trackID = content.track.id
      return BoxNode("trex", box)
    }
    return BoxNode("mvex", children: [BoxNode("mehd", header)] + defaults)
  }
}
