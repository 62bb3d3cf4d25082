public import MediaCore

/// Why bytes are not the box that they claim to be.
public struct BoxError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The box ends before its fields do.
    case truncated
    /// A table claims more entries than its box has room for.
    case countExceedsBox(claimed: UInt64, room: UInt64)
    /// A field has a value that the standard does not allow and that cannot be handled.
    case invalidValue(Int64)
    /// Bytes that are not a box, so many of them, follow the last box in another or in the file.
    case trailingBytes(UInt64)
    /// Boxes are nested deeper than `BoxLimits.depth`.
    case nestedTooDeep
    /// There are more boxes than `BoxLimits.boxCount`.
    case tooManyBoxes
    /// Reading the source failed.
    case source(SourceError)
  }

  /// What went wrong.
  public let code: Code
  /// Types of the boxes around the error, outermost first: `moov/trak/mdia`.
  public let path: String
  /// The field's name in the standard, if it is about one.
  public let field: String?
  /// The offset in the source at which the box begins.
  public let offset: UInt64?

  /// An error with all it knows.
  public init(_ code: Code, path: String = "", field: String? = nil, offset: UInt64? = nil) {
    self.code = code
    self.path = path
    self.field = field
    self.offset = offset
  }

  /// The same error, with its path and offset.
  public func located(path: String, offset: UInt64) -> BoxError {
    BoxError(code, path: self.path.isEmpty ? path : self.path, field: field, offset: self.offset ?? offset)
  }
}

extension BoxError: MediaError {
  /// Empty: only the code that opened the file knows its name.
  public var file: String { underlying?.file ?? "" }

  public var location: MediaErrorLocation {
    MediaErrorLocation(path: path, field: field, offset: offset)
  }

  public var kind: MediaErrorKind { underlying?.kind ?? .badData }

  public var underlying: (any MediaError)? {
    if case .source(let error) = code { error } else { nil }
  }

  public var reason: String {
    switch code {
    case .truncated: "the box ends before its fields do"
    case .countExceedsBox(let claimed, let room): "claims \(claimed) entries, but there is room for \(room)"
    case .invalidValue(let value): "has the impossible value \(value)"
    case .trailingBytes(let count):
      count == 1 ? "1 byte after the last box is not a box" : "\(count) bytes after the last box are not a box"
    case .nestedTooDeep: "boxes are nested too deep"
    case .tooManyBoxes: "there are too many boxes"
    case .source(let error): error.reason
    }
  }

  public var recoverySuggestion: String? { underlying?.recoverySuggestion }
}

/// Bounds on the cost of a tree of boxes, whatever the file says.
public struct BoxLimits: Sendable, Hashable {
  /// How deep boxes may nest. Real files stay below 12; the tree is walked recursively, so the stack needs a bound.
  public var depth = 24
  /// How many boxes one tree may hold. A movie of a thousand tracks has some 30 000; a node takes about 150 bytes.
  public var boxCount = 200_000
  /// Leaves larger than this, in bytes, are not read, only located. Cover art and sample tables exceed it.
  public var leafSize = 1 << 20
  /// How many bytes are read in total: further leaves are only located.
  public var loadedSize = 64 << 20

  /// The default limits.
  public init() {}
}
