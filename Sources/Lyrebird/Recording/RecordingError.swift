public import MediaCore

/// Why something cannot be recorded.
public struct RecordingError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The name does not end in a way that tells what kind of file is wanted.
    case unknownType
    /// A recording of this name was cut off before it was finished, and still is there.
    case leftover
    /// There is a file of this name, and replacing it was not allowed.
    case exists
  }

  /// What went wrong.
  public let code: Code
  /// The file it is about.
  public let file: String

  /// An error with all it knows.
  public init(_ code: Code, file: String) {
    self.code = code
    self.file = file
  }
}

extension RecordingError: MediaError {
  public var location: MediaErrorLocation { MediaErrorLocation() }

  public var kind: MediaErrorKind {
    switch code {
    case .unknownType: .misuse
    case .leftover, .exists: .cannotCreate
    }
  }

  public var reason: String {
    switch code {
    case .unknownType: "cannot tell what to record"
    case .leftover: "a recording that was cut off is still there"
    case .exists: "exists already"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .unknownType: "use a name that ends in .m4a, .aac or .wav"
    case .leftover: "it plays as it is: give it another name, or remove it"
    case .exists: "choose another name, or allow it to be replaced"
    }
  }
}
