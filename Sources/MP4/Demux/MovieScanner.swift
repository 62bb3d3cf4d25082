internal import ISOBMFF
internal import MediaCore

/// What a pass over the top level of a file found.
struct ScannedMovie {
  var fileType: FileTypeBox?
  /// The movie header, read except for its tables.
  var moov: BoxNode?
  /// Where to read the tables of the movie header: the file, or memory if the header was compressed.
  var moovReader: SourceReader
  /// A `meta` box at the top level, where MPEG-DASH and HEIF put it.
  var meta: BoxNode?
  var fragments: MovieFragmentReader?
  var layout = MovieLayout.unknown
  /// Top-level boxes that are neither index, media nor padding: others may know what they are for.
  var extraBoxes: [BoxHeader] = []
  /// From the start of the first index or media box to the end of the last.
  var content: Range<UInt64>?
  /// How many boxes describe the fragments after them, by type.
  var fragmentBoxes: [FourCC: Int] = [:]
  /// Oddities that do not prevent reading.
  var issues: [BoxError] = []
  /// Top-level types seen, to tell what a file without a movie is.
  var types: [FourCC] = []
  /// Whether the last box claims more than the file holds.
  var isCut = false
}

/// The layout of a file.
public enum MovieLayout: String, Sendable, Hashable {
  /// The index before the media: plays while it is still being downloaded.
  case fastStart = "fast-start"
  /// The index after the media: what a camera writes.
  case moovLast = "moov-last"
  /// The index in pieces, each before its piece of the media.
  case fragmented
  /// There is an index, but no media.
  case unknown
}

/// Scans the top-level boxes once, reading the movie header and each fragment's.
struct MovieScanner {
  private let reader: SourceReader
  private let limits: BoxLimits
  private var parser: BoxParser
  private var found: ScannedMovie
  /// The offset of the first fragment that precedes the movie header.
  private var fragmentsBeforeMovie: UInt64?
  private var mediaComesFirst = false
  /// How many bytes from the start of a box are likely to be of use: a fragment's header is about as long as the
  /// previous one, and reading bytes that are not needed is half of the cost of reading.
  private var usefulBytes = UInt64(MovieScanner.windowSize)

  /// Tables that are located but not read; see `SampleTable`.
  private static let tables: [FourCC] = [
    "stts", "ctts", "stsz", "stz2", "stsc", "stco", "co64", "stss", "stps", "sdtp", "stdp", "padb", "subs", "saiz",
    "saio", "senc",
  ]

  /// The most boxes of other kinds that are recorded: real files have one or two.
  private static let maximumExtraBoxes = 1000
  /// Bytes read at once: most fragments' headers fit.
  private static let windowSize = 4 << 10
  /// The most types that are recorded, each once.
  private static let maximumTypes = 64

  init(_ reader: SourceReader, limits: BoxLimits) {
    self.reader = reader
    self.limits = limits
    parser = BoxParser(reader, limits: limits, deferring: MovieScanner.tables)
    found = ScannedMovie(moovReader: reader)
  }

  /// - Throws: `BoxError` if limits are exceeded or reading fails.
  mutating func scan() throws(BoxError) -> ScannedMovie {
    var window = SourceWindow(reader, capacity: MovieScanner.windowSize)
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
      let bytes = try window.bytes(at: offset, count: BoxHeader.maximumSize, limit: offset &+ usefulBytes)
      return BoxHeader(bytes, at: offset, limit: reader.size)
    } catch {
      throw BoxError(.source(error), offset: offset)
    }
  }

  private mutating func visit(_ header: BoxHeader, _ window: inout SourceWindow) throws(BoxError) {
    if found.types.count < MovieScanner.maximumTypes, !found.types.contains(header.type) {
      found.types.append(header.type)
    }
    found.isCut = header.isCut
    if !header.type.isLayout, !header.isCut, found.extraBoxes.count < MovieScanner.maximumExtraBoxes {
      found.extraBoxes.append(header)
    }
    if header.type == "moov" || header.type == "mdat" || header.type == "moof" {
      found.content = (found.content?.lowerBound ?? header.offset)..<header.end
    }
    switch header.type {
    case "ftyp" where found.fileType == nil: found.fileType = try parser.node(header).box()
    case "styp" where found.fileType == nil: found.fileType = try parser.node(header).box()
    case "meta" where found.meta == nil: found.meta = try parser.node(header)
    case "moov" where found.moov == nil: try readMovie(header, &window)
    case "mdat":
      if found.moov == nil {
        mediaComesFirst = true
      } else if found.layout == .unknown {
        found.layout = .fastStart
      }
    case "moof":
      if found.fragments == nil, found.moov == nil {
        fragmentsBeforeMovie = fragmentsBeforeMovie ?? header.offset
      } else {
        try addFragment(header, &window)
      }
    case "emsg", "prft": found.fragmentBoxes[header.type, default: 0] += 1
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
    if mediaComesFirst { found.layout = .moovLast }
    // Fragments before the header cannot be parsed until it is known, so that part of the file is scanned twice:
    // recording each of them instead could take far more memory than the file is long.
    var offset = fragmentsBeforeMovie ?? header.offset
    while offset < header.offset, let early = try self.header(at: offset, &window) {
      if early.type == "moof" { try addFragment(early, &window) }
      offset = early.end
    }
  }

  private mutating func addFragment(_ header: BoxHeader, _ window: inout SourceWindow) throws(BoxError) {
    if found.fragments == nil {
      found.fragments = try MovieFragmentReader(moov: found.moov, reader: found.moovReader, mediaSize: reader.size)
    }
    usefulBytes = min(header.end - header.offset, UInt64(MovieScanner.windowSize)) + UInt64(BoxHeader.maximumSize)
    guard found.fragments?.defect == nil else { return }
    guard header.payloadSize <= UInt64(limits.loadedSize) else {
      found.fragments?.refuse(header, .tooManyBoxes)
      return
    }
    do throws(SourceError) {
      let payload = try window.bytes(at: header.payloadOffset, count: Int(header.payloadSize))
      found.fragments?.add(header, payload: payload)
    } catch {
      throw BoxError(.source(error), offset: header.offset)
    }
  }
}

extension FourCC {
  /// Whether top-level boxes of this type describe the layout of their file, and mean nothing in another one.
  fileprivate var isLayout: Bool {
    switch self {
    case "ftyp", "moov", "mdat", "moof", "free", "skip", "wide", "styp", "sidx", "ssix", "mfra", "pdin", "prft", "emsg":
      true
    default: false
    }
  }
}

extension MovieFragmentReader {
  /// A reader for the fragments that follow a movie header.
  ///
  /// - Throws: `BoxError` `.source` if the header's own samples, which come first, cannot be counted.
  fileprivate init(moov: BoxNode?, reader: SourceReader, mediaSize: UInt64) throws(BoxError) {
    self.init(defaults: FragmentDefaults.byTrack(in: moov), mediaSize: mediaSize)
    for trak in moov?.all("trak") ?? [] {
      let track = SampleTableReader(trak, reader: reader, mediaSize: mediaSize)
      guard !knows(track.id) else { continue }
      do throws(MP4Error) {
        describe(track.id, startingAt: try track.table.end())
      } catch {
        guard case .source(let failure) = error.code else { continue }
        throw BoxError(.source(failure), offset: failure.offset)
      }
    }
  }
}

extension SampleTable {
  /// How many samples there are, and when the one after the last would be decoded.
  fileprivate func end() throws(MP4Error) -> MovieFragmentReader.Start {
    guard sampleCount > 0, let sampleToChunk, let chunkOffsets else { return MovieFragmentReader.Start() }
    var chunks = ChunkCursor(runs: sampleToChunk, offsets: chunkOffsets)
    let count = try chunks.sampleCount(upTo: sampleCount)
    guard let timeToSample else {
      return MovieFragmentReader.Start(time: packing == nil ? 0 : Int64(clamping: count), samples: count)
    }
    var cursor = RunCursor(timeToSample, repeatsLast: true)
    return MovieFragmentReader.Start(time: try cursor.skip(count) ?? 0, samples: count)
  }
}
