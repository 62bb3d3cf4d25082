internal import Lyrebird

/// What `info` says about a file, gathered before any of it is put into words.
struct FileDescription {
  let file: String
  let size: UInt64
  /// `mp4`, `mov`, `m4a`, `adts`, `loas`, `wav` and so on.
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
    /// Which frames are heard, of AAC.
    private(set) var trim: AudioTrim?

    /// - Parameters:
    ///   - track: what is described.
    ///   - byteCount: the length of all its samples.
    ///   - next: delivers the first packets one by one, in case they reveal more.
    ///   - decoder: makes a decoder, which knows what is heard.
    init(
      _ track: Track, byteCount: UInt64, next: () throws -> EncodedSample?,
      decoder: () throws -> AudioTrackDecoder? = { nil }
    ) {
      self.track = track
      self.byteCount = byteCount
      var first: EncodedSample?
      aac = TrackDescription.aac(track) {
        let packet = try next()
        first = first ?? packet
        return packet
      }
      // Only where the first packet names an encoder does a decoder know more than the file's index.
      guard aac != nil, EncoderNote.faac(in: try? first ?? next()) != nil else { return }
      trim = try? decoder()?.trim
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
    let description = TrackDescription(track, byteCount: byteCount) {
      try samples.next()
    } decoder: {
      try AudioTrackDecoder(movie, track: track)
    }
    tracks.append(description)
    defect = defect ?? movie.defect(of: track)
  }

  /// A stream has no index: it is read to its end.
  init(_ stream: AACStream, file: String) throws {
    let start = stream
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
    // Of a pipe, headers and whatever lay between frames are not counted.
    size = stream.source.size == .max ? stream.payloadBytes : stream.source.size
    container = stream.framing.name.lowercased()
    layout = nil
    brands = []
    duration = stream.track.duration
    creationTime = nil
    metadata = MovieMetadata((try? PCMFileTag.id3(in: stream.source)) ?? [])
    chapters = []
    let description = TrackDescription(stream.track, byteCount: stream.payloadBytes) {
      try first.next()
    } decoder: {
      try AudioTrackDecoder(start)
    }
    tracks = [description]
  }

  /// A file of PCM: one track. From a pipe it is read to its end, which its header may not know.
  ///
  /// - Throws: `PCMFileError`, `Failure` if a signal came.
  init(_ pcm: PCMFileReader, file: String, size: UInt64) throws {
    var pcm = pcm
    while pcm.frameCount == nil, try pcm.next() != nil { try Interrupt.check() }
    let (format, frames) = (pcm.fileFormat, pcm.frameCount ?? pcm.position)
    let bytes = frames * UInt64(format.bytesPerFrame)
    InputFile.reportMissing(pcm.missingBytes, file: file)
    self.file = file
    self.size = size == .max ? bytes : size
    container = pcm.fileTypeName
    (layout, brands, creationTime, chapters) = (nil, [], nil, [])
    let tags = try pcm.tags()
    var metadata = MovieMetadata(tags)
    // What movies have no name for is shown by its own.
    let known = Set(metadata.tags.map(\.value))
    metadata.tags += tags.filter { !known.contains($0.value) }.map { .init($0.identifier, $0.value) }
    self.metadata = metadata
    var track = Track(id: 1, kind: .audio, timescale: UInt32(format.sampleRate))
    track.mediaDuration = MediaTime(value: Int64(clamping: frames), timescale: track.timescale)
    track.duration = track.mediaDuration
    track.sampleCount = frames
    duration = track.duration
    let sound = AudioTrackFormat(
      sampleRate: Double(format.sampleRate), channels: format.layout.channels,
      bitsPerSample: 8 * format.coding.byteCount, pcmCoding: format.coding)
    let codec: FourCC = format.coding.kind == .muLaw ? "ulaw" : format.coding.kind == .aLaw ? "alaw" : "lpcm"
    track.descriptions = [
      SampleDescription(
        entryType: codec, codec: codec, codecName: "PCM \(format.coding.name)", codecString: codec.description,
        format: .audio(sound))
    ]
    tracks = [TrackDescription(track, byteCount: bytes) { nil }]
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
