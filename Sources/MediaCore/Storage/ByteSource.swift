/// Where bytes are read from: a file, memory, or anything that can answer "these bytes, from this offset".
///
/// Reads name their offset, as `pread` does, and there is no shared position: one source serves any number of readers
/// on any number of threads, and a failed read can simply be repeated.
public protocol ByteSource: Sendable {
  /// Length in bytes, known and fixed from opening on; `.max` for a stream, whose length is not known in advance. A
  /// stream has to keep its last 4 MiB, as readers go back that far.
  var size: UInt64 { get }

  /// The name used in messages: the path of a file.
  var name: String { get }

  /// Reads up to `buffer.count` bytes from `offset` on. It may block, but must not wait for another Swift task:
  /// asynchronous sequences such as `AudioReader.blocks()` call it on the threads that tasks share, and all of them could
  /// end up waiting. A source over a network needs a thread of its own.
  ///
  /// - Returns: how many bytes were read: fewer than asked for is allowed anywhere, 0 means the end was reached.
  /// - Throws: `SourceError` if the bytes cannot be read now. The same read may be repeated after `reopen()`.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int

  /// Makes the source usable again after a failed read: reopens a file, or makes a new connection.
  ///
  /// - Throws: `SourceError` if that fails, or if the source is no longer the same.
  func reopen() throws(SourceError)

  /// Whether everything read since the source was opened belongs together. Code that makes one file out of another
  /// calls this last, before the new one gets its name.
  ///
  /// - Throws: `SourceError` if that cannot be determined.
  func change() throws(SourceError) -> SourceChange
}

extension ByteSource {
  /// None by default: nothing else can reach the source.
  public func change() throws(SourceError) -> SourceChange { .none }
}

/// What happened to a source since it was opened.
public enum SourceChange: Sendable, Hashable {
  /// Nothing.
  case none
  /// It is longer. If only its end changed, as while it is being recorded, what was read belongs together.
  case grown
  /// It was changed: what was read may mix old bytes with new ones.
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
    /// After reopening, the source is a different one.
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

  /// An error from its parts.
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
    case .notReadable: "a folder, pipe or device, not a file"
    case .system(let number): "read failed: \(systemMessage(number))"
    case .endedEarly: "the file became shorter while it was read"
    case .changed: "changed while it was read"
    case .cancelled: "reading was cancelled"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .endedEarly, .changed: "open it again"
    case .notFound, .notReadable, .system, .cancelled: nil
    }
  }
}
