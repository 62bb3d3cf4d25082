public import AAC
public import MP4

/// Why a track cannot be decoded: its file is damaged, or its sound is.
public enum AudioDecodingError: Error, Sendable {
  /// Something about the movie.
  case movie(MP4Error)
  /// Something about the AAC in it, or about reading it.
  case aac(AACError)
}

extension AudioDecodingError: CustomStringConvertible {
  /// One line, as the error within says it.
  public var description: String {
    switch self {
    case .movie(let error): error.description
    case .aac(let error): error.description
    }
  }
}
