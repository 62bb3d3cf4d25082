internal import ISOBMFF
internal import MediaCore

/// Builds the boxes around the tracks of a movie that did not come from a file: `ftyp` and `moov`.
struct MovieBoxBuilder {
  private let options: MuxerOptions
  private var tracks: [MuxerTrack]
  /// The movie's ticks per second.
  let timescale: UInt32
  /// The chapters as a track, which follows the others.
  private(set) var chapters: ChapterTrack?

  init(_ tracks: [MuxerTrack], options: MuxerOptions) {
    self.tracks = tracks
    self.options = options
    timescale = MovieTimescale.choose(for: tracks)
  }

  /// Adds a chapter track, to which all others refer, unless the tracks have one already.
  mutating func addChapters() {
    let highest = tracks.map(\.track.id).max() ?? 0
    guard options.hasChapterTrack, highest < .max, tracks.allSatisfy({ $0.track.references["chap"] == nil }),
      let made = ChapterTrack(options.sortedChapters, id: highest + 1, movieTimescale: timescale)
    else { return }
    for index in tracks.indices { tracks[index].track.references["chap"] = [made.track.track.id] }
    tracks.append(made.track)
    chapters = made
  }

  /// A muxed track with its sample tables.
  struct Content {
    var tables: BuiltTrackTables
    /// Additional boxes of the sample table.
    var boxes: [BoxNode] = []
    var edits: [Edit]
    /// In ticks of the movie.
    var duration: MediaTime
  }

  // MARK: The file type

  /// States whether the file is audio only or any movie; and, for fragments, that data offsets count from each of them.
  var fileType: [UInt8] {
    var box = FileTypeBox()
    box.majorBrand = brands[0]
    box.compatibleBrands = PackedTable(brands.map { BrandEntry($0) })
    return BoxNode("ftyp", box).written
  }

  private var brands: [FourCC] {
    if !options.brands.isEmpty { return options.brands }
    let isSound = tracks.dropLast(chapters == nil ? 0 : 1).allSatisfy { $0.track.kind == .audio }
    let usual: [FourCC] = isSound ? ["M4A ", "mp42", "isom"] : ["isom", "iso4", "mp42"]
    return options.isFragmented ? usual + ["iso6"] : usual
  }

  // MARK: The movie

  /// The header of a progressive movie, its chunk offsets shifted by `base`.
  func progressive(_ contents: [Content], metadata: [BoxNode], base: UInt64, isWide: Bool) -> BoxNode {
    var traks: [BoxNode] = []
    for (track, content) in zip(tracks, contents) {
      let offsets = content.tables.chunkOffsets.map { base &+ $0 }
      let tables = content.tables.boxes + [.chunkOffsets(offsets, isWide: isWide)]
      traks.append(
        TrackBoxBuilder(track, creationTime: creationTime).trak(
          tables: tables + content.boxes, mediaDuration: content.tables.duration,
          duration: UInt64(max(content.duration.value, 0)), edits: content.edits))
    }
    let longest = contents.map(\.duration.value).max() ?? 0
    return BoxNode("moov", children: [header(duration: UInt64(max(longest, 0)))] + traks + metadata)
  }

  /// The header of a movie in fragments: the tracks without samples, and a box that says that fragments follow.
  ///
  /// - Parameter hasLength: whether to include a field for the total duration; see `offsetOfLength`.
  func fragmented(edits: [[Edit]], boxes: [[BoxNode]], metadata: [BoxNode], hasLength: Bool) -> BoxNode {
    var none = SampleTableBuilder()
    let tables = none.boxes(nil) + [.chunkOffsets([], isWide: false)]
    var traks: [BoxNode] = []
    var defaults: [BoxNode] = []
    for index in tracks.indices {
      traks.append(
        TrackBoxBuilder(tracks[index], creationTime: creationTime).trak(
          tables: tables + boxes[index], mediaDuration: 0, duration: 0, edits: edits[index]))
      var extends = TrackExtendsBox()
      extends.trackID = tracks[index].track.id
      defaults.append(BoxNode("trex", extends))
    }
    var length = MovieExtendsHeaderBox()
    length.versionAndFlags.version = 1
    let mvex = BoxNode("mvex", children: (hasLength ? [BoxNode("mehd", length)] : []) + defaults)
    return BoxNode("moov", children: [header(duration: 0)] + traks + [mvex] + metadata)
  }

  /// Where the header of a movie in fragments holds the total duration, in 64 bits: it is known only at the end.
  static func offsetOfLength(in moov: BoxNode) -> Int {
    let before = moov.children.prefix { $0.type != "mvex" }.reduce(0) { $0 + $1.written.count }
    // Three box headers, and version and flags.
    return 8 + before + 8 + 8 + 4
  }

  private func header(duration: UInt64) -> BoxNode {
    var header = MovieHeaderBox()
    header.setCreationTime(creationTime)
    header.timescale = timescale
    header.setDuration(duration)
    for track in tracks { header.reserve(trackID: track.track.id) }
    return BoxNode("mvhd", header)
  }

  /// 0 means that it is not known.
  private var creationTime: UInt64 { options.creationTime.flatMap(MovieHeaderBox.since1904) ?? 0 }
}

extension MuxerOptions {
  /// Whether the movie is written in fragments.
  package var isFragmented: Bool {
    if case .fragmented = layout { true } else { false }
  }

  /// The chapters sorted by start.
  var sortedChapters: [Chapter] {
    chapters.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
  }
}
