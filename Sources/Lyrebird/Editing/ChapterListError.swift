public import MediaCore

/// Why a list of chapters cannot be read.
public struct ChapterListError: Error, Sendable, Hashable {
  /// What is wrong.
  public enum Code: Sendable, Hashable {
    /// The text is none of the lists that are known.
    case unknown
    /// A line that should begin with a time does not.
    case noTime
    /// There is no chapter in it.
    case empty
  }

  /// What is wrong.
  public let code: Code
  /// The line, counted from 1; `nil` if it is about the whole.
  public let line: Int?

  /// An error from its parts.
  public init(_ code: Code, line: Int? = nil) {
    self.code = code
    self.line = line
  }
}

extension ChapterListError: MediaError {
  public var kind: MediaErrorKind { .badData }
  public var file: String { "" }
  public var location: MediaErrorLocation { MediaErrorLocation() }

  public var reason: String {
    let place = line.map { "line \($0): " } ?? ""
    return switch code {
    case .unknown: "not a list of chapters"
    case .noTime: place + "not the time of a chapter"
    case .empty: "no chapters in it"
    }
  }

  public var recoverySuggestion: String? {
    "write a line for each chapter, such as 00:01:30.000 Title, or use ffmetadata, WebVTT or JSON"
  }
}
