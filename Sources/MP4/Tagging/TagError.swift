public import MediaCore

/// Why a tag cannot be given a value.
public struct TagError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// No tag has this name, and it is no identifier either.
    case unknownName
    /// The value is empty or the tag cannot hold it; `wants` says in words what it accepts.
    case badValue(String, wants: String)
    /// Several values for a tag that is no text, and so can have one only.
    case oneValueOnly
    /// A cover that is neither JPEG, PNG nor BMP.
    case notAPicture
    /// A time before 1970 or after 9999.
    case badTime(Int64)
  }

  /// What went wrong.
  public let code: Code
  /// The name of the tag as it was given, or of the picture's file.
  public let name: String

  /// An error about a tag.
  public init(_ code: Code, name: String) {
    self.code = code
    self.name = name
  }
}

extension TagError: MediaError {
  /// Empty: it is about a value, not about a file.
  public var file: String { "" }
  public var location: MediaErrorLocation { MediaErrorLocation() }
  public var kind: MediaErrorKind { .misuse }

  public var reason: String {
    switch code {
    case .unknownName: "there is no tag '\(name)'"
    case .badValue("", let wants): "the tag '\(name)' needs a value: \(wants)"
    case .badValue(let value, let wants): "the tag '\(name)' cannot be '\(value)': it must be \(wants)"
    case .oneValueOnly: "the tag '\(name)' can have one value only"
    case .notAPicture: "\(name.isEmpty ? "a cover" : name) is neither JPEG, PNG nor BMP"
    case .badTime(let seconds): "a time of creation cannot be \(seconds) seconds after the start of 1970"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .unknownName:
      "give a common name (title), four characters (©nam), a domain and a name (com.apple.iTunes:ISRC) or a QuickTime "
        + "key (com.apple.quicktime.title)"
    case .badValue("", _): "to delete it, remove the tag"
    case .badTime: "give a time from 1970 to 9999"
    default: nil
    }
  }
}
