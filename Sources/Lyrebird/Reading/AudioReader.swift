internal import AAC
internal import AudioConversion
public import MP4
public import MediaCore
public import PCM

/// Reads the sound of a file, whatever kind of file it is, in the format that is wanted.
///
/// ```swift
/// let sound = try AudioReader(path: "anything.mp4")
/// let speech = try sound.read(sampleRate: 16_000, channels: 1)
/// ```
///
/// It opens movies (MP4, QuickTime and what else is built of boxes), streams of AAC (ADTS, LOAS) and files of PCM
/// (WAVE, AIFF, CAF), which it recognizes by their content. What an encoder added before and after the sound is cut
/// off: of N frames that were encoded, N come out. Broken packets are concealed, counted and reported to `onFault`.
///
/// Sound is pulled, by one of these, which all continue where the one before ended:
///
/// - `read(sampleRate:channels:)`: the rest of it, in memory;
/// - `blocks(format:frames:)`: a sequence for asynchronous code;
/// - `next()` and `next(frames:)`: a piece at a time; `next(into:)`: the same, into the caller's memory.
///
/// It delivers the format of the file until `setFormat(_:)` or one of the first two asks for another. Frames are
/// counted in what is delivered: the number of frames, positions and seeks are exact to the frame at any rate.
///
/// A reader may be passed between threads; calls wait for one another. A cancelled task stops reading, with an error of
/// the kind `.cancelled`.
public final class AudioReader: Sendable {
  /// The kind of the file.
  public let fileType: SoundFileType
  /// The format of the file's sound, in which nothing is lost: integers for lossless codecs and PCM of up to 32 bits,
  /// floats for others.
  public let fileFormat: AudioFormat
  /// Whether the samples are those that were encoded, so that `fileFormat` says their depth. What a lossy codec such as
  /// AAC yields has none of its own.
  public let isLossless: Bool
  /// The track that is read, as the file describes it; `nil` if the file has no tracks.
  public let track: Track?
  /// The tags of the file.
  public let metadata: MovieMetadata
  /// The name of the file in messages.
  public let name: String
  /// When the first frame is heard in a movie, whose pictures may begin earlier; zero in other files. No silence is
  /// delivered for that time.
  public let startTime: MediaTime
  /// Whether its bytes come once, as from a pipe: it can seek forward only, and the number of frames is often not
  /// known.
  public let isStream: Bool
  private let movie: MP4Demuxer?
  let state: Lock<SoundDelivery>

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - track: the number of a track, as `Track.id` says it; by default the first one with sound.
  ///   - decoders: the decoders that there are: `.builtIn(coreOnly:)`, and those of the program.
  /// - Throws: `AudioDecodingError`.
  public convenience init(
    path: String, track: UInt32? = nil, decoders: AudioDecoders = .builtIn()
  ) throws(AudioDecodingError) {
    let source: FileSource
    do { source = try FileSource(path: path) } catch { throw .source(error) }
    try self.init(SourceReader(source), track: track, decoders: decoders)
  }

  /// Reads a source, such as a file in memory. From one of unknown size, as a pipe is, streams and PCM can be read, and
  /// movies in fragments: their sound comes as they do.
  ///
  /// - Parameters:
  ///   - source: the bytes.
  ///   - track: the number of a track, as `Track.id` says it; by default the first one with sound.
  ///   - decoders: the decoders that there are: `.builtIn(coreOnly:)`, and those of the program.
  /// - Throws: `AudioDecodingError`.
  public convenience init(
    _ source: SourceReader, track: UInt32? = nil, decoders: AudioDecoders = .builtIn()
  ) throws(AudioDecodingError) {
    let name = source.source.name
    let type = try SoundFileType(source)
    if type != .movie, track != nil { throw .noTracks(type, file: name) }
    switch type {
    case .movie:
      if source.size == .max {
        try self.init(streaming: source, track: track, decoders: decoders)
        return
      }
      let movie: MP4Demuxer
      do { movie = try MP4Demuxer(reader: source) } catch { throw .movie(error) }
      try self.init(movie, track: try AudioReader.track(track, of: movie, file: name), decoders: decoders)
    case .adts, .loas:
      let stream: AACStream
      do { stream = try AACStream(source, framing: type == .adts ? .adts : .loas) } catch { throw .aac(error) }
      self.init(try AudioTrackDecoder(stream, decoders: decoders), type, name: name, isStream: source.size == .max)
    case .pcm:
      let file: PCMFileReader
      do { file = try PCMFileReader(source) } catch { throw .pcm(error) }
      try self.init(file, name: name, isStream: source.size == .max)
    }
  }

  /// Reads a movie in fragments as it comes.
  private convenience init(
    streaming source: SourceReader, track: UInt32?, decoders: AudioDecoders
  ) throws(AudioDecodingError) {
    let name = source.source.name
    let found: StreamedMovie?
    do { found = try StreamedMovie(source) } catch { throw .movie(error) }
    guard let found else { throw AudioDecodingError(notReadFromStream: source) }
    let chosen = try AudioReader.track(track, of: found.movie, file: name)
    let packets = found.packets(of: chosen)
    guard let decoder = try AudioTrackDecoder(packets, of: found.movie, decoders: decoders) else {
      throw AudioDecodingError(notReadFromStream: source)
    }
    self.init(
      decoder, .movie, found.movie, chosen, startTime: chosen.edits.delayTime, metadata: found.movie.metadata,
      name: name, isStream: true)
  }

  private static func track(
    _ id: UInt32?, of movie: MP4Demuxer, file: String
  ) throws(AudioDecodingError) -> Track {
    let chosen = if let id { movie.track(id: id) } else { movie.audioTrack }
    guard let chosen else { throw id.map { .noTrack($0, file: file) } ?? .noAudioTrack(file: file) }
    return chosen
  }

  /// Reads samples without a header.
  ///
  /// - Parameters:
  ///   - source: the samples, all of it.
  ///   - format: what they are.
  /// - Throws: `AudioDecodingError`.
  public convenience init(_ source: SourceReader, raw format: RawPCMFormat) throws(AudioDecodingError) {
    let file: PCMFileReader
    do { file = try PCMFileReader(source, raw: format) } catch { throw .pcm(error) }
    try self.init(file, name: source.source.name, isStream: source.size == .max)
  }

  private convenience init(_ file: PCMFileReader, name: String, isStream: Bool) throws(AudioDecodingError) {
    let metadata: MovieMetadata
    do { metadata = MovieMetadata(try file.tags()) } catch { throw .pcm(error) }
    self.init(
      PCMFileSource(file, isStream: isStream), .pcm, metadata: metadata, name: name, isStream: isStream)
  }

  /// Reads a track of an opened movie.
  ///
  /// - Parameters:
  ///   - movie: the movie.
  ///   - track: one of its audio tracks.
  ///   - decoders: the decoders that there are: `.builtIn(coreOnly:)`, and those of the program.
  /// - Throws: `AudioDecodingError`: for a codec that none of the decoders is for, or that is damaged at its start.
  public convenience init(
    _ movie: MP4Demuxer, track: Track, decoders: AudioDecoders = .builtIn()
  ) throws(AudioDecodingError) {
    let source = try AudioTrackDecoder(movie, track: track, decoders: decoders)
    let start: MediaTime
    do { start = try movie.startTime(of: track) } catch { throw .movie(error) }
    self.init(
      source, .movie, movie, track, startTime: start, metadata: movie.metadata, name: movie.reader.source.name)
  }

  init(
    _ source: sending any SoundSource, _ type: SoundFileType, _ movie: MP4Demuxer? = nil, _ track: Track? = nil,
    startTime: MediaTime = .zero, metadata: MovieMetadata = MovieMetadata(), name: String, isStream: Bool = false
  ) {
    fileType = type
    (fileFormat, isLossless) = (source.format, source.isLossless)
    (self.movie, self.track, self.name, self.isStream) = (movie, track, name, isStream)
    (self.startTime, self.metadata) = (startTime, metadata)
    state = Lock(SoundDelivery(source))
  }

  // MARK: Facts

  /// The format in which sound is delivered.
  public var format: AudioFormat { state.withLock { $0.format } }

  /// Frames in all, in `format`; `nil` if the file does not say, as a stream does not.
  public var frameCount: Int64? { state.withLock { $0.frameCount } }

  /// Number of the frame that is delivered next, in `format`.
  public var position: Int64 { state.withLock { $0.position } }

  /// Packets decoded so far, concealed ones included; 0 if there are none, as in a file of PCM.
  public var decodedPackets: UInt64 { state.withLock { $0.source.packetNumber } }

  /// Packets concealed so far.
  public var concealedPackets: UInt64 { state.withLock { $0.source.concealedPackets } }

  /// Bytes that a stream or a file of PCM promises but lacks: it ends early. In a stream it is known only at the end. A
  /// movie whose end is missing fails there instead.
  public var missingBytes: UInt64 { state.withLock { $0.source.missingBytes } }

  /// The chapters of a movie; none of other files. Their times count from the first frame, which is heard at
  /// `startTime` of the movie: a chapter that begins before begins with it, and one that also ends before is left out.
  ///
  /// - Throws: `AudioDecodingError` if reading them fails.
  public func chapters() throws(AudioDecodingError) -> [Chapter] {
    do {
      let chapters = try movie?.chapters() ?? []
      guard startTime > .zero else { return chapters }
      let first = chapters.lastIndex { $0.start <= startTime } ?? 0
      return chapters[first...].map { Chapter(start: max($0.start, startTime) - startTime, title: $0.title) }
    } catch {
      throw .movie(error)
    }
  }

  /// Calls a function for each broken packet. It may not use the reader.
  ///
  /// - Parameter report: gets what is wrong with the packet, with its number; the file is not named.
  public func onFault(_ report: (@Sendable (AudioDecodingError) -> Void)?) {
    state.withLock { $0.onFault(report) }
  }

  /// Checks that the file was not changed since it was opened. Code that makes another file of its sound calls this
  /// last, before that file gets its name.
  ///
  /// - Throws: `AudioDecodingError`, for a `SourceError` `.changed`.
  public func checkUnchanged() throws(AudioDecodingError) {
    try state.withLock { (state) throws(AudioDecodingError) in try state.source.checkUnchanged() }
  }
}
