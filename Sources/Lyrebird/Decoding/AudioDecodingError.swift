public import AAC
public import MP4
public import MediaCore

/// Why a track cannot be decoded: its file is damaged, or its sound is, or there is none.
public enum AudioDecodingError: Error, Sendable, Hashable {
  /// Something about the movie.
  case movie(MP4Error)
  /// Something about the AAC in it, or about reading it.
  case aac(AACError)
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
    case .noAudioTrack: nil
    }
  }
}
