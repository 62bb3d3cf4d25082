/// Where bytes are read from: a file, memory, or anything that can answer "these bytes, from this offset".
///
/// Reads name their offset, as `pread` does, and move no shared position: so one source serves any number of readers
/// on any number of threads, and a read that failed can simply be asked again.
public protocol ByteSource: Sendable {
  /// Length in bytes, known and fixed from opening on; `.max` for a stream, which ends where it ends.
  var size: UInt64 { get }

  /// What messages call this source: the path of a file.
  var name: String { get }

  /// Reads up to `buffer.count` bytes from `offset` on.
  ///
  /// - Returns: how many bytes were read: fewer than asked for is allowed anywhere, 0 means the end was reached.
  /// - Throws: `SourceError` when the bytes cannot be had now. The same read may be asked again after `reopen()`.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int

  /// Gets the source ready again after a failed read: a file is opened anew, a connection is made anew.
  ///
  /// - Throws: `SourceError` when that cannot be done, or when what is found now is not what was there before.
  func reopen() throws(SourceError)

  /// Whether what was read since the source was opened belongs together. Code that makes one file out of another calls this
  /// last, before the new one gets its name.
  ///
  /// - Throws: `SourceError` when that cannot be told.
  func change() throws(SourceError) -> SourceChange
}

extension ByteSource {
  /// None: nothing else can reach it.
  public func change() throws(SourceError) -> SourceChange { .none }
}

/// What became of a source since it was opened.
public enum SourceChange: Sendable, Hashable {
  /// Nothing.
  case none
  /// It is longer. Where nothing but its end changed, as when it is still being recorded, what was read belongs together.
  case grown
  /// It was changed, and what was read may be neither what it was nor what it is.
  case changed
}

/// Why bytes could not be read.
public struct SourceError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// There is nothing under this name.
    case notFound
    /// There is something, but not a thing whose bytes can be read at any offset: a folder, a pipe.
    case notReadable
    /// The system reported a failure: `errno` is given.
    case system(Int32)
    /// The source ended before its size: a file that shrank.
    case endedEarly
    /// After reopening, the source is not the one it was.
    case changed
    /// The task that was reading was cancelled.
    case cancelled
  }

  /// What went wrong.
  public let code: Code
  /// The source's name.
  public let name: String
  /// Where in the source the read began, if it was a read.
  public let offset: UInt64?

  /// An error with all it knows.
  public init(_ code: Code, name: String, offset: UInt64? = nil) {
    self.code = code
    self.name = name
    self.offset = offset
  }
}

extension SourceError: MediaError {
  public var file: String { name }
  public var location: MediaErrorLocation { MediaErrorLocation(offset: offset) }

  public var kind: MediaErrorKind {
    switch code {
    case .notFound, .notReadable: .notFound
    case .system, .endedEarly, .changed: .readOrWriteFailed
    case .cancelled: .cancelled
    }
  }

  public var reason: String {
    switch code {
    case .notFound: "no such file"
    case .notReadable: "not a regular file"
    case .system(let number): "read failed: \(systemMessage(number))"
    case .endedEarly: "the file became shorter while it was read"
    case .changed: "changed while it was read"
    case .cancelled: "reading was cancelled"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .notReadable: "reading needs one that can be read at any offset"
    case .endedEarly, .changed: "open it again"
    case .notFound, .system, .cancelled: nil
    }
  }
}
