public import AAC
public import AudioConversion
public import MP4
public import MediaCore
public import PCM

/// Why the sound of a file cannot be read: the file is damaged, or its sound is, or there is none, or not in the format
/// that was asked for.
public enum AudioDecodingError: Error, Sendable, Hashable {
  /// Something about the movie.
  case movie(MP4Error)
  /// Something about the AAC in it, or about reading it.
  case aac(AACError)
  /// Something about sound of any other codec.
  case codec(AudioCodecError)
  /// Something about a file of PCM, such as WAVE.
  case pcm(PCMFileError)
  /// Something about reading the beginning of the file, by which its kind is recognized.
  case source(SourceError)
  /// The sound cannot be converted to the format that was asked for.
  case conversion(ConversionError)
  /// The movie, whose file is named, has no audio track.
  case noAudioTrack(file: String)
  /// The movie has no track of this number.
  case noTrack(UInt32, file: String)
  /// A track was given for a kind of file that has no tracks.
  case noTracks(SoundFileType, file: String)
  /// The source is a stream of unknown size, such as a pipe, and holds a movie of which more has to be known first
  /// (its index may be at its end) or nothing recognizable.
  case movieInStream(file: String)
}

extension AudioDecodingError: MediaError {
  /// The error itself: there are no other codes.
  public typealias Code = AudioDecodingError

  public var kind: MediaErrorKind {
    switch self {
    case .movieInStream, .noTrack, .noTracks: .badData
    default: underlying?.kind ?? .badData
    }
  }

  public var file: String {
    switch self {
    case .noAudioTrack(let file), .noTrack(_, let file), .noTracks(_, let file), .movieInStream(let file): file
    default: underlying?.file ?? ""
    }
  }

  public var reason: String {
    switch self {
    case .noTrack(let number, _): "no track \(number) in this movie"
    case .noTracks(let type, _): "\(type.description), which has no tracks"
    case .movieInStream:
      "neither an AAC stream nor PCM, nor a movie in fragments whose sound can be read as it comes"
    default: underlying?.reason ?? "no audio track in this movie"
    }
  }

  public var recoverySuggestion: String? {
    if case .movieInStream = self { "give a file" } else { underlying?.recoverySuggestion }
  }

  public var underlying: (any MediaError)? {
    switch self {
    case .movie(let error): error
    case .aac(let error): error
    case .codec(let error): error
    case .pcm(let error): error
    case .source(let error): error
    case .conversion(let error): error
    case .noAudioTrack, .noTrack, .noTracks, .movieInStream: nil
    }
  }
}

extension AudioDecodingError {
  /// For a source of unknown size that holds neither AAC nor PCM.
  package init(notReadFromStream source: SourceReader) {
    let name = source.source.name
    do throws(SourceError) {
      let head = try source.bytes(at: 0, count: UnsupportedFormat.headSize)
      let format = UnsupportedFormat(head: head)
      self = format.map { .movie(MP4Error(.noMovie(.unsupported($0)), file: name)) } ?? .movieInStream(file: name)
    } catch {
      self = .source(error)
    }
  }

  /// Wraps a decoder's error, adding codec, packet and file.
  ///
  /// - Parameters:
  ///   - error: what it threw, or what is wrong with a packet.
  ///   - codec: the name of the codec.
  ///   - packet: the number of the packet, if it is about one.
  ///   - file: the name of the file.
  init(_ error: any Error, codec: String, packet: UInt64? = nil, file: String) {
    switch error {
    case let error as AudioDecodingError: self = error
    case let error as AACError:
      self = .aac((packet.map { error.located(packet: $0) } ?? error).located(in: file))
    case let error as AudioCodecError: self = .codec(error.located(packet: packet, in: file))
    default:
      // One from outside the library, of which only the words are of use here.
      let words = (error as? any MediaError)?.reason ?? "\(error)"
      self = .codec(AudioCodecError(.other(words), codec: codec, packet: packet, file: file))
    }
  }
}
