public import AAC
public import AudioConversion
public import MP4
public import MediaCore
public import PCM

/// Why sound cannot be written to a file.
public enum AudioWritingError: Error, Sendable, Hashable {
  /// Something about AAC, such as a number of channels that it does not have.
  case aac(AACError)
  /// Something about another codec.
  case codec(AudioCodecError)
  /// Something about writing a movie.
  case movie(MP4Error)
  /// Something about writing a WAVE file.
  case pcm(PCMFileError)
  /// Something about opening the output, or about a temporary file.
  case sink(SinkError)
  /// Something about reading a temporary file.
  case source(SourceError)
  /// The sound cannot be converted to what the file can hold, or changed its format on the way.
  case conversion(ConversionError)
  /// The extension of the name does not say what kind of file is wanted.
  case unknownType(file: String)
  /// It was finished before.
  case finished(file: String)
  /// The caller stopped it.
  case stopped
}

extension AudioWritingError {
  /// An error of any part of the library.
  init(_ error: any Error) {
    switch error {
    case let error as AudioWritingError: self = error
    case let error as AACError: self = .aac(error)
    case let error as AudioCodecError: self = .codec(error)
    case let error as MP4Error: self = .movie(error)
    case let error as PCMFileError: self = .pcm(error)
    case let error as SinkError: self = .sink(error)
    case let error as SourceError: self = .source(error)
    case let error as ConversionError: self = .conversion(error)
    default: self = .stopped
    }
  }
}

extension AudioWritingError: MediaError {
  /// The error itself: there are no other codes.
  public typealias Code = AudioWritingError

  public var kind: MediaErrorKind {
    switch self {
    case .unknownType, .finished: .misuse
    default: underlying?.kind ?? .cancelled
    }
  }

  public var file: String {
    switch self {
    case .unknownType(let file), .finished(let file): file
    default: underlying?.file ?? ""
    }
  }

  public var reason: String {
    switch self {
    case .unknownType: "the name does not say what kind of file to write"
    case .finished: "it is finished already"
    default: underlying?.reason ?? "it was stopped"
    }
  }

  public var recoverySuggestion: String? {
    if case .unknownType = self { return "end it in .m4a, .aac or .wav" }
    return underlying?.recoverySuggestion
  }

  public var underlying: (any MediaError)? {
    switch self {
    case .aac(let error): error
    case .codec(let error): error
    case .movie(let error): error
    case .pcm(let error): error
    case .sink(let error): error
    case .source(let error): error
    case .conversion(let error): error
    case .unknownType, .finished, .stopped: nil
    }
  }
}
