public import AAC
public import MP4
public import MediaCore

/// Why a track cannot be decoded: its file is damaged, or its sound is, or there is none.
public enum AudioDecodingError: Error, Sendable, Hashable {
  /// Something about the movie.
  case movie(MP4Error)
  /// Something about the AAC in it, or about reading it.
  case aac(AACError)
  /// Something about sound of any other codec.
  case codec(AudioCodecError)
  /// The movie, whose file is named, has no audio track.
  case noAudioTrack(file: String)
}

extension AudioDecodingError: MediaError {
  /// The error itself: there are no other codes.
  public typealias Code = AudioDecodingError

  public var kind: MediaErrorKind { underlying?.kind ?? .badData }

  public var file: String {
    if case .noAudioTrack(let file) = self { file } else { underlying?.file ?? "" }
  }

  public var reason: String { underlying?.reason ?? "no audio track in this movie" }

  public var recoverySuggestion: String? { underlying?.recoverySuggestion }

  public var underlying: (any MediaError)? {
    switch self {
    case .movie(let error): error
    case .aac(let error): error
    case .codec(let error): error
    case .noAudioTrack: nil
    }
  }
}

extension AudioDecodingError {
  /// What a decoder says, with the place that it does not know.
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
