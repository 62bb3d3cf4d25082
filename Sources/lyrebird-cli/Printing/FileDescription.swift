internal import Lyrebird

/// What `info` says about a file, gathered before any of it is put into words.
struct FileDescription {
  let file: String
  let size: UInt64
  /// `mp4`, `mov`, `m4a`, `adts`, `loas` and so on.
  let container: String
  let layout: MovieLayout?
  let brands: [FourCC]
  let duration: MediaTime
  /// Seconds since the start of 1970, UTC.
  let creationTime: Int64?
  private(set) var tracks: [TrackDescription] = []
  private(set) var chapters: [Chapter]
  let metadata: MovieMetadata
  /// Why some samples cannot be read, if so.
  private(set) var defect: MP4Error?

  struct TrackDescription {
    let track: Track
    let byteCount: UInt64
    /// AAC's own set-up, which is more reliable than the sample entry.
    let aac: AudioSpecificConfig?

    /// - Parameter next: delivers the first packets one by one, in case they reveal more.
    init(_ track: Track, byteCount: UInt64, next: () throws -> EncodedSample?) {
      self.track = track
      self.byteCount = byteCount
      aac = TrackDescription.aac(track, next)
    }

    /// The object type of MPEG-4 ALS.
    private static let losslessType: UInt8 = 36

    private static func aac(_ track: Track, _ next: () throws -> EncodedSample?) -> AudioSpecificConfig? {
      guard let format = track.audioFormat, format.objectType == 0x40 || format.objectType == 0x67,
        var config = try? AudioSpecificConfig(format.decoderConfiguration)
      else { return nil }
      // Lossless coding appends its own set-up, from which the format was made.
      if config.objectType == losslessType { return nil }
      config.settle(next)
      return config
    }

    /// Bits a second over the media's duration.
    var bitRate: Double? {
      track.mediaDuration.value > 0 ? Double(byteCount) * 8 / track.mediaDuration.seconds : nil
    }

    /// Average video frames per second.
    var frameRate: Double? {
      guard track.kind == .video, track.mediaDuration.value > 0 else { return nil }
      return Double(track.sampleCount) / track.mediaDuration.seconds
    }
  }

  /// What cannot be read is left out, and `defect` says why.
  init(_ movie: MP4Demuxer, file: String) {
    self.file = file
    size = movie.reader.size
    container = FileDescription.container(movie.brands)
    layout = movie.layout
    brands = [movie.brands.major] + movie.brands.compatible.filter { $0 != movie.brands.major && $0.rawValue != 0 }
    duration = movie.duration
    metadata = movie.metadata
    creationTime = movie.creationTime
    chapters = movie.metadata.listedChapters
    do { chapters = try movie.chapters() } catch { defect = error }
    for track in movie.tracks { add(track, of: movie) }
  }

  private mutating func add(_ track: Track, of movie: MP4Demuxer) {
    var samples = movie.samples(of: track)
    var byteCount: UInt64 = 0
    do { byteCount = try movie.byteCount(of: track) } catch { defect = defect ?? error }
    tracks.append(TrackDescription(track, byteCount: byteCount) { try samples.next() })
    defect = defect ?? movie.defect(of: track)
  }

  /// A stream has no index: it is read to its end.
  init(_ stream: AACStream, file: String) throws {
    var (stream, first) = (stream, stream)
    var packets = 0
    do {
      while try stream.next() != nil {
        packets += 1
        if packets.isMultiple(of: 4096) { try Interrupt.check() }
      }
    } catch let error as AACError {
      throw Failure(error, file: file)
    }
    stream.warn(file: file)
    self.file = file
    size = stream.source.size
    container = stream.framing.name.lowercased()
    layout = nil
    brands = []
    duration = stream.track.duration
    creationTime = nil
    metadata = MovieMetadata()
    chapters = []
    tracks = [TrackDescription(stream.track, byteCount: stream.payloadBytes) { try first.next() }]
  }

  private static func container(_ brands: MP4Demuxer.Brands) -> String {
    let major = brands.major.description
    if major == "qt  " { return "mov" }
    if major.hasPrefix("M4A") { return "m4a" }
    if major.hasPrefix("M4B") { return "m4b" }
    if major.hasPrefix("3g2") { return "3g2" }
    if major.hasPrefix("3g") { return "3gp" }
    if major.hasPrefix("F4V") { return "f4v" }
    return "mp4"
  }
}
