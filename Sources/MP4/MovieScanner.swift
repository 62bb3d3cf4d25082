internal import ISOBMFF
internal import MediaCore

/// What a pass over the top level of a file found.
struct ScannedMovie {
  var fileType: FileTypeBox?
  /// The movie header, read but for its tables.
  var moov: BoxNode?
  /// Where the tables of the movie header are to be read: the file, or memory if the header was compressed.
  var moovReader: SourceReader
  /// A `meta` box at the top level, where MPEG-DASH and HEIF put it.
  var meta: BoxNode?
  var fragments: FragmentIndexer?
  var layout = MovieLayout.unknown
  /// Oddities that do not stand in the way.
  var issues: [BoxError] = []
  /// Top-level types seen, to say what a file without a movie is.
  var types: Set<FourCC> = []
  /// Whether the last box claims more than the file holds.
  var isCut = false
}

/// How a file is laid out.
public enum MovieLayout: String, Sendable, Hashable {
  /// The index in front of the media: plays while it is still being downloaded.
  case fastStart = "fast-start"
  /// The index behind the media: what a camera writes.
  case moovLast = "moov-last"
  /// The index in pieces, each in front of its piece of the media.
  case fragmented
  /// There is an index, but no media.
  case unknown
}

/// Goes over the boxes at the top level, once, reading the movie header and each fragment's.
struct MovieScanner {
  private let reader: SourceReader
  private let limits: BoxLimits
  private var parser: BoxParser
  private var found: ScannedMovie
  private var fragmentsBeforeMovie: [BoxHeader] = []
  private var mediaComesFirst: Bool?

  /// Tables that are located but not read; see `SampleTable`.
  private static let tables: Set<FourCC> = [
    "stts", "ctts", "stsz", "stz2", "stsc", "stco", "co64", "stss", "stps", "sdtp", "stdp", "padb", "subs", "saiz",
    "saio", "senc",
  ]

  init(_ reader: SourceReader, limits: BoxLimits) {
    self.reader = reader
    self.limits = limits
    parser = BoxParser(reader, limits: limits, deferring: MovieScanner.tables)
    found = ScannedMovie(moovReader: reader)
  }

  /// - Throws: `BoxError` if limits are exceeded or reading fails.
  mutating func scan() throws(BoxError) -> ScannedMovie {
    var window = SourceWindow(reader, capacity: 4 << 10)
    var offset: UInt64 = 0
    while offset < reader.size {
      guard let header = try header(at: offset, &window) else { break }
      try visit(header, &window)
      offset = header.end
    }
    found.issues += parser.issues
    if found.fragments != nil { found.layout = .fragmented }
    return found
  }

  private func header(at offset: UInt64, _ window: inout SourceWindow) throws(BoxError) -> BoxHeader? {
    do throws(SourceError) {
      let bytes = try window.bytes(at: offset, count: BoxHeader.maximumSize)
      return BoxHeader(bytes, at: offset, limit: reader.size)
    } catch {
      throw BoxError(.source(error), offset: offset)
    }
  }

  private mutating func visit(_ header: BoxHeader, _ window: inout SourceWindow) throws(BoxError) {
    if found.types.count < 64 { found.types.insert(header.type) }
    found.isCut = header.isCut
    switch header.type {
    case "ftyp" where found.fileType == nil: found.fileType = try parser.node(header).box()
    case "styp" where found.fileType == nil: found.fileType = try parser.node(header).box()
    case "meta" where found.meta == nil: found.meta = try parser.node(header)
    case "moov" where found.moov == nil: try readMovie(header, &window)
    case "mdat":
      if found.moov == nil { mediaComesFirst = mediaComesFirst ?? true }
      if found.moov != nil, found.layout == .unknown { found.layout = .fastStart }
    case "moof":
      if found.fragments == nil, found.moov == nil {
        fragmentsBeforeMovie.append(header)
      } else {
        try addFragment(header, &window)
      }
    default: break
    }
  }

  private mutating func readMovie(_ header: BoxHeader, _ window: inout SourceWindow) throws(BoxError) {
    var moov = try parser.node(header)
    if let (plain, reader) = try CompressedMovie.decompress(moov, limits: limits, deferring: MovieScanner.tables) {
      moov = plain
      found.moovReader = reader
    }
    found.moov = moov
    if mediaComesFirst == true { found.layout = .moovLast }
    let early = fragmentsBeforeMovie
    fragmentsBeforeMovie = []
    for moof in early { try addFragment(moof, &window) }
  }

  private mutating func addFragment(_ header: BoxHeader, _ window: inout SourceWindow) throws(BoxError) {
    if found.fragments == nil {
      found.fragments = FragmentIndexer(moov: found.moov, reader: found.moovReader, sourceSize: reader.size)
    }
    guard header.payloadSize <= UInt64(limits.loadedSize) else {
      throw BoxError(.tooManyBoxes, path: "moof", offset: header.offset)
    }
    do throws(SourceError) {
      let payload = try window.bytes(at: header.payloadOffset, count: Int(header.payloadSize))
      found.fragments?.add(header, payload: payload)
    } catch {
      throw BoxError(.source(error), offset: header.offset)
    }
  }
}

extension FragmentIndexer {
  /// An indexer for the fragments that follow a movie header.
  fileprivate init(moov: BoxNode?, reader: SourceReader, sourceSize: UInt64) {
    let defaults = moov.map(FragmentDefaults.byTrack) ?? [:]
    var start: [UInt32: (time: Int64, samples: UInt64)] = [:]
    for trak in moov?.all("trak") ?? [] {
      let track = SampleTableBuilder(trak, reader: reader)
      guard track.table.sampleCount > 0, let times = track.table.timeToSample, start[track.id] == nil else { continue }
      var cursor = RunCursor<TimeToSampleEntry>(times, repeatsLast: true)
      // A failure here only costs the times of fragments that do not give their own.
      let time = try? cursor.skip(track.table.sampleCount)
      start[track.id] = (time ?? 0, track.table.sampleCount)
    }
    self.init(defaults: defaults, start: start, sourceSize: sourceSize)
  }
}
