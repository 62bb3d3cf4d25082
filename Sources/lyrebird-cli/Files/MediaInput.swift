internal import Lyrebird

/// An input of the command: a movie, a stream of AAC (ADTS or LOAS), or a file of PCM.
enum MediaInput {
  case movie(MP4Demuxer)
  case stream(AACStream)
  case pcm(PCMFileReader)

  /// Opens a file and detects which it is.
  init(path: String) throws {
    try self.init(try InputFile.reader(path))
  }

  /// Detects what an opened file is. A pipe delivers its bytes once, which is enough for streams; a movie is kept in a
  /// temporary file.
  init(_ reader: SourceReader) throws {
    switch try SoundFileType(reader) {
    case .adts: self = .stream(try AACStream(reader, framing: .adts))
    case .loas: self = .stream(try AACStream(reader, framing: .loas))
    case .pcm:
      do { self = .pcm(try PCMFileReader(reader)) } catch { throw Failure(error, file: reader.source.name) }
    case .movie: self = .movie(try MP4Demuxer.opened(try PipedMovie.reader(reader)))
    }
  }
}

extension MediaInput {
  /// Opens a movie, for a verb that takes nothing else, and reports what was odd about it.
  ///
  /// - Throws: `Failure` if it is something else.
  static func movie(path: String) throws -> MP4Demuxer {
    switch try MediaInput(path: path) {
    case .movie(let movie):
      movie.reportIssues(file: path)
      return movie
    case .stream: throw Failure.streamIsNoMovie(path)
    case .pcm: throw Failure.soundIsNoMovie(path)
    }
  }

  /// Checks that a file may be a movie, for a verb that changes movies in place, by its first bytes alone.
  ///
  /// - Throws: `Failure` if it is something else; `SourceError`, `AudioDecodingError`.
  static func checkMayBeMovie(path: String) throws {
    switch try SoundFileType(SourceReader(try FileSource(path: path))) {
    case .movie: return
    case .adts, .loas: throw Failure.streamIsNoMovie(path)
    case .pcm: throw Failure.soundIsNoMovie(path)
    }
  }
}

extension Failure {
  fileprivate static func streamIsNoMovie(_ file: String) -> Failure {
    Failure(
      status: .badData,
      "\(file): an AAC stream, not a movie; `lyrebird encode IN OUT.m4a` encodes it again, as a movie")
  }

  fileprivate static func soundIsNoMovie(_ file: String) -> Failure {
    Failure(status: .badData, "\(file): a PCM file, not a movie; `lyrebird encode IN OUT.m4a` makes one")
  }

  /// For a verb about packets or boxes, of which a file of PCM has none.
  static func hasNoPackets(_ file: String) -> Failure {
    Failure(
      status: .badData, "\(file): a PCM file, which has neither boxes nor packets; `lyrebird info` describes it")
  }
}

extension MP4Demuxer {
  /// Opens a file that is no stream of AAC and no PCM, for a verb that would take those, too.
  ///
  /// - Throws: `Failure` if it is no movie either; else as `init(reader:)`.
  static func opened(_ reader: SourceReader) throws -> MP4Demuxer {
    do throws(MP4Error) {
      return try MP4Demuxer(reader: reader)
    } catch {
      let name = reader.source.name
      switch error.code {
      case .noMovie(.empty): throw Failure(status: .badData, "\(name): empty")
      case .noMovie(.unknown):
        throw Failure(
          status: .badData,
          "\(name): neither a movie with an index (moov), nor AAC (ADTS, LOAS), nor PCM (WAVE, AIFF, CAF)")
      default: throw error
      }
    }
  }

  /// Reports on standard error what was odd about the file but did not stop it from being read.
  func reportIssues(file: String) {
    let shown = 3
    for issue in issues.prefix(shown) { Messages.warning("\(InputFile.name(file)): \(issue)") }
    if issues.count > shown {
      Messages.warning("\(InputFile.name(file)): and \(issues.count - shown) more problems; see `lyrebird boxes`")
    }
  }

  /// The track with the given number.
  ///
  /// - Throws: `Failure` if there is none.
  func requiredTrack(_ id: UInt32, file: String) throws(Failure) -> Track {
    if let track = track(id: id) { return track }
    let there = tracks.isEmpty ? "the movie has no tracks" : "the tracks are \(Text.list(tracks.map { "\($0.id)" }))"
    throw Failure(status: .badData, "\(InputFile.name(file)): no track \(id); \(there)")
  }

  /// The track with the given number, or the first audio track.
  ///
  /// - Throws: `Failure` if there is none.
  func chosenAudioTrack(_ id: UInt32?, file: String) throws(Failure) -> Track {
    if let id { return try requiredTrack(id, file: file) }
    if let track = audioTrack { return track }
    throw Failure(status: .badData, "\(InputFile.name(file)): no audio track in this movie")
  }
}
