public import ISOBMFF
public import MediaCore

/// A movie: MP4, QuickTime, M4A, 3GP, progressive or in fragments, opened for reading.
///
/// Opening reads the movie header and the headers of fragments, never the media. An opened movie is immutable and can
/// be shared between threads; readers over it are cheap, and there may be many:
///
///     let movie = try MP4Demuxer(path: "in.mp4")
///     var samples = movie.samples(of: movie.tracks[0])
///     while let sample = try samples.next() { … }
///
/// Source: ISO/IEC 14496-12 (the ISO base media file format), QuickTime File Format.
public struct MP4Demuxer: Sendable {
  /// All tracks, in file order.
  public let tracks: [Track]
  /// The brands of the file type box.
  public let brands: Brands
  /// How index and media are laid out.
  public let layout: MovieLayout
  /// Duration of the presentation, edits applied, or what the movie header claims, if that is longer.
  public let duration: MediaTime
  /// How long the longest track is shown, edits applied.
  package let shownDuration: MediaTime
  /// Ticks per second of the movie's own clock, in which edits are counted.
  public let timescale: UInt32
  /// When the movie was made, in seconds since the beginning of 1970, UTC; `nil` where the file does not say.
  public let creationTime: Int64?
  /// Tags, cover art and chapters from the movie header.
  public let metadata: MovieMetadata
  /// The movie header as a tree of boxes; sample tables are located in it, not loaded.
  public let moov: BoxNode
  /// Oddities that did not prevent reading, in file order.
  public let issues: [BoxError]
  /// Where the bytes come from.
  public let reader: SourceReader
  /// The tracks with their boxes and indexes, in the order of `tracks`: first those that the movie header describes,
  /// then those that occur in fragments only.
  let movieTracks: [MovieTrack]
  /// Where the movie header's tables are read from: the file, or memory if the header was compressed.
  let moovReader: SourceReader
  /// The file type box as it is in the file.
  let fileType: FileTypeBox?
  /// Top-level boxes that are neither index, media nor padding.
  let extraBoxes: [BoxHeader]
  /// From the start of the first index or media box to the end of the last.
  let content: Range<UInt64>
  /// How many boxes describe the fragments after them, by type.
  let fragmentBoxes: [FourCC: Int]
  /// What fragments say about getting keys: each different `pssh` box.
  let fragmentKeys: [BoxNode]
  /// The index in `tracks` for each number: linear search would make a thousand tracks cost a million steps.
  private let lookup: TrackLookup

  /// The brands of a `ftyp` box.
  public struct Brands: Sendable, Hashable {
    /// The best use of the file; `qt  ` where QuickTime left the box out.
    public let major: FourCC
    /// Every specification that the file follows.
    public let compatible: [FourCC]
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the path of a regular file.
  ///   - limits: bounds on what the index may cost.
  /// - Throws: `MP4Error`: `.noMovie` if the file is not a movie, `.box` for a damaged header, `.source` if reading
  ///   fails.
  public init(path: String, limits: BoxLimits = BoxLimits()) throws(MP4Error) {
    let source: FileSource
    do throws(SourceError) {
      source = try FileSource(path: path)
    } catch {
      throw MP4Error(error)
    }
    do throws(MP4Error) {
      try self.init(source: source, limits: limits)
    } catch {
      throw error.unlessChanged(source)
    }
  }

  /// Opens a movie in any source.
  ///
  /// - Throws: as `init(path:limits:)`.
  public init(source: any ByteSource, limits: BoxLimits = BoxLimits()) throws(MP4Error) {
    try self.init(reader: SourceReader(source), limits: limits)
  }

  /// Opens a movie through a reader, which decides how to recover from interruptions.
  ///
  /// - Throws: as `init(path:limits:)`.
  public init(reader: SourceReader, limits: BoxLimits = BoxLimits()) throws(MP4Error) {
    let found: ScannedMovie
    do throws(BoxError) {
      var scanner = MovieScanner(reader, limits: limits)
      found = try scanner.scan()
    } catch {
      throw MP4Error(error, file: reader.source.name)
    }
    guard let moov = found.moov else {
      throw MP4Error(.noMovie(try found.instead(of: reader)), file: reader.source.name)
    }
    let header = moov.child("mvhd", as: MovieHeaderBox.self)
    let list = try TrackListReader(found, moov: moov, header: header, reader: reader)
    self.moov = moov
    self.reader = reader
    movieTracks = list.tracks
    tracks = movieTracks.map(\.description)
    lookup = TrackLookup(tracks.map(\.id))
    timescale = list.timescale
    duration = list.duration
    shownDuration = list.shownDuration
    creationTime = header.flatMap(\.creationTimeSince1970)
    layout = found.layout
    brands = Brands(major: found.fileType?.majorBrand ?? "qt  ", compatible: found.fileType?.brands ?? [])
    metadata = MetadataReader(moov: moov, topLevel: found.meta, reader: found.moovReader).metadata
    issues = found.issues
    moovReader = found.moovReader
    fileType = found.fileType
    extraBoxes = found.extraBoxes
    content = found.content ?? 0..<reader.size
    fragmentBoxes = found.fragmentBoxes
    fragmentKeys = found.fragments?.keys ?? []
  }

  // MARK: What there is

  /// The kinds of media in the movie.
  public var mediaTypes: MediaType {
    var types = MediaType.none
    if audioTrack != nil { types.insert(.audio) }
    if videoTrack != nil { types.insert(.video) }
    return types
  }

  /// The first enabled audio track, or otherwise the first audio track.
  public var audioTrack: Track? { preferred(.audio) }

  /// The first enabled video track, or otherwise the first video track.
  public var videoTrack: Track? { preferred(.video) }

  /// Whether there is audio.
  public var hasAudio: Bool { audioTrack != nil }

  /// Whether there is video.
  public var hasVideo: Bool { videoTrack != nil }

  /// Width and height as a viewer sees them, the transform applied; `nil` without a video track.
  public var videoSize: Track.Size? { videoTrack?.displaySize }

  /// The track with this number.
  public func track(id: UInt32) -> Track? {
    lookup[id].map { tracks[$0] }
  }

  /// The first enabled track of a kind, or otherwise the first one, of those selected.
  package func preferred(_ kind: Track.Kind, of selection: TrackSelection = .all) -> Track? {
    let suitable = tracks.filter { $0.kind == kind && selection.contains($0) }
    return suitable.first { $0.isEnabled } ?? suitable.first
  }

  // MARK: Samples

  /// A reader positioned at the first sample of a track.
  public func samples(of track: Track) -> SampleReader {
    SampleReader(
      reader: reader, trackID: track.id, timescale: track.timescale,
      index: index(of: track.id) ?? SampleIndex(missing: track.id, file: reader.source.name))
  }

  /// Why the samples of a track end early, as far as the index alone shows; `nil` for an intact track.
  ///
  /// Readers deliver the good samples, then throw this error.
  public func defect(of track: Track) -> MP4Error? {
    index(of: track.id)?.defect
  }

  /// Whether a track's samples lie in another file, which its index points to.
  public func isExternal(_ track: Track) -> Bool {
    index(of: track.id)?.isExternal ?? false
  }

  /// Total size of a track's samples in bytes, edits not applied.
  ///
  /// Reads through the table of sizes, at a nanosecond or two per sample.
  ///
  /// - Throws: `MP4Error` `.source` if reading fails.
  public func byteCount(of track: Track) throws(MP4Error) -> UInt64 {
    guard let index = index(of: track.id) else { return 0 }
    return try index.table.byteCount() &+ (index.fragments?.byteCount ?? 0)
  }

  /// The tracks that the movie header describes, in its order.
  var describedTracks: ArraySlice<MovieTrack> { movieTracks.prefix { $0.trak != nil } }

  private func index(of id: UInt32) -> SampleIndex? {
    lookup[id].map { movieTracks[$0].index }
  }
}

extension ScannedMovie {
  /// What a file without a movie header appears to be.
  fileprivate func instead(of reader: SourceReader) throws(MP4Error) -> MP4Error.Instead {
    if reader.size == 0 { return .empty }
    if types.contains("moof") || types.contains("styp") || types.contains("sidx") { return .mediaSegment }
    let images: [FourCC] = ["heic", "heix", "mif1", "msf1", "avif", "avis", "heim", "heis", "hevc", "jpeg", "jxl "]
    let brands = (fileType?.brands ?? []) + [fileType?.majorBrand].compactMap { $0 }
    if meta != nil || brands.contains(where: images.contains) { return .image }
    if types.contains("mdat") || (isCut && types.contains("ftyp")) { return .cut }
    let head: [UInt8]
    do throws(SourceError) {
      head = try reader.bytes(at: 0, count: UnsupportedFormat.headSize)
    } catch {
      throw MP4Error(error)
    }
    return UnsupportedFormat(head: head).map { .unsupported($0) } ?? .unknown
  }
}
