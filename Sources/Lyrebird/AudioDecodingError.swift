public import AAC
public import MP4
public import MediaCore

/// Why a track cannot be decoded: its file is damaged, or its sound is.
public enum AudioDecodingError: Error, Sendable, Hashable {
  /// Something about the movie.
  case movie(MP4Error)
  /// Something about the AAC in it, or about reading it.
  case aac(AACError)
}

extension AudioDecodingError: MediaError {
  public var code: AudioDecodingError { self }
  public var underlying: (any MediaError)? { error }
  public var kind: MediaErrorKind { error.kind }
  public var file: String { error.file }
  public var location: MediaErrorLocation { error.location }
  public var reason: String { error.reason }
  public var recoverySuggestion: String? { error.recoverySuggestion }

  private var error: any MediaError {
    switch self {
    case .movie(let error): error
    case .aac(let error): error
    }
  }
}
