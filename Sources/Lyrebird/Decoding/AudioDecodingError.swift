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
  /// The error itself: there are no other codes.
  public typealias Code = AudioDecodingError

  public var recoverySuggestion: String? { underlying?.recoverySuggestion }

  public var underlying: (any MediaError)? {
    switch self {
    case .movie(let error): error
    case .aac(let error): error
    }
  }
}
