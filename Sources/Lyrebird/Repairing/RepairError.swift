public import AAC
public import MP4
public import MediaCore

/// Why a movie cannot be repaired.
public enum RepairError: Error, Sendable, Hashable {
  /// There is no index, and no AAC was found.
  case noSound(file: String)
  /// There is no media at all.
  case noMedia(file: String)
  /// The packets are not read with the tables of the sampling rate asked for; the rates in Hz that fit are given.
  case otherRate(file: String, fitting: [UInt32])
  /// Nothing of the pattern's kinds of samples was found.
  case unlikePattern(file: String)
  /// The pattern has no track whose samples could be found by reading them.
  case uselessPattern(file: String)
  /// Something about a movie, broken, pattern or output.
  case movie(MP4Error)
  /// Something about AAC.
  case aac(AACError)
  /// Something about reading the file.
  case source(SourceError)
  /// Something about writing the output.
  case sink(SinkError)
}

extension RepairError: MediaError {
  /// The error itself: there are no other codes.
  public typealias Code = RepairError

  public var kind: MediaErrorKind { underlying?.kind ?? .badData }

  public var file: String {
    switch self {
    case .noSound(let file), .noMedia(let file), .otherRate(let file, _), .unlikePattern(let file),
      .uselessPattern(let file):
      file
    default: underlying?.file ?? ""
    }
  }

  public var reason: String {
    switch self {
    case .noSound: "it has no index, and no AAC was found in it"
    case .noMedia: "there is no media in it"
    case .otherRate(_, let rates):
      "its packets do not fit that sampling rate, but would fit \(rates.map { "\($0)" }.joined(separator: ", ")) Hz"
    case .unlikePattern: "it has no index, and nothing like the pattern's samples was found in it"
    case .uselessPattern: "none of its tracks is of a kind that can be read without an index"
    default: underlying?.reason ?? ""
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .noSound: "use an intact file from the same device as the pattern"
    case .noMedia: "nothing can be saved"
    case .otherRate: "choose one of these"
    case .unlikePattern: "the pattern must come from the same device, with the same settings"
    case .uselessPattern: "it needs pictures in H.264, H.265, AV1 or ProRes, or sound in AAC"
    default: underlying?.recoverySuggestion
    }
  }

  public var underlying: (any MediaError)? {
    switch self {
    case .movie(let error): error
    case .aac(let error): error
    case .source(let error): error
    case .sink(let error): error
    default: nil
    }
  }

  /// An error of any part of the library; `nil` for others, as those that a caller's `progress` throws.
  init?(_ error: any Error) {
    switch error {
    case let error as RepairError: self = error
    case let error as MP4Error: self = .movie(error)
    case let error as AACError: self = .aac(error)
    case let error as SourceError: self = .source(error)
    case let error as SinkError: self = .sink(error)
    default: return nil
    }
  }
}
