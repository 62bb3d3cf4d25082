public import AAC
public import MP4
public import MediaCore

/// Why movies cannot be joined.
public enum JoinError: Error, Sendable, Hashable {
  /// Something about one of the movies, or about the output.
  case movie(MP4Error)
  /// Something about decoding sound at a seam.
  case sound(AudioDecodingError)
  /// Something about encoding sound at a seam.
  case encoder(AACError)
  /// There is nothing to join.
  case noParts
  /// There are so many titles of chapters, but not as many parts.
  case chapterTitles(Int, parts: Int)
  /// A part, whose file is named, lacks a track of this kind that another part has.
  case missingTrack(MediaType, file: String)
  /// A track of a part, whose file is named, differs from that of the first part in what is given: `44100 Hz, not 48000
  /// Hz`.
  case unlike(String, track: UInt32, file: String)
  /// A track of a part, whose file is named, is encrypted. The data needed to decrypt its samples (ISO/IEC 23001-7, 7)
  /// cannot be joined.
  case encrypted(track: UInt32, file: String)
}

extension JoinError {
  /// An error of any part of the library; `nil` for one of another origin.
  init?(_ error: any Error) {
    switch error {
    case let error as JoinError: self = error
    case let error as MP4Error: self = .movie(error)
    case let error as AudioDecodingError: self = .sound(error)
    case let error as AACError: self = .encoder(error)
    default: return nil
    }
  }
}

extension JoinError: MediaError {
  /// The error itself: there are no other codes.
  public typealias Code = JoinError

  public var kind: MediaErrorKind {
    switch self {
    case .noParts, .chapterTitles: .misuse
    case .missingTrack, .unlike, .encrypted: .badData
    default: underlying?.kind ?? .badData
    }
  }

  public var file: String {
    switch self {
    case .missingTrack(_, let file), .unlike(_, _, let file), .encrypted(_, let file): file
    default: underlying?.file ?? ""
    }
  }

  public var location: MediaErrorLocation {
    switch self {
    case .unlike(_, let track, _), .encrypted(let track, _): return MediaErrorLocation(trackID: track)
    default: return underlying?.location ?? MediaErrorLocation()
    }
  }

  public var reason: String {
    switch self {
    case .noParts: "there is nothing to join"
    case .chapterTitles(let titles, let parts): "\(parts) parts to join, but \(titles) titles of chapters"
    case .missingTrack(let kind, _): "no \(kind == .video ? "video" : "audio") track, but another part has one"
    case .unlike(let what, _, _): "\(what) as in the first part; many players cannot follow the change"
    case .encrypted: "it is encrypted, and the data needed to decrypt its samples cannot be joined"
    default: underlying?.reason ?? ""
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .noParts: "name the files"
    case .chapterTitles: "give a title for each part, or none at all"
    case .missingTrack, .unlike: "make the parts alike first, or join them anyway"
    case .encrypted: "decrypt the parts first"
    default: underlying?.recoverySuggestion
    }
  }

  public var underlying: (any MediaError)? {
    switch self {
    case .movie(let error): error
    case .sound(let error): error
    case .encoder(let error): error
    case .noParts, .chapterTitles, .missingTrack, .unlike, .encrypted: nil
    }
  }
}
