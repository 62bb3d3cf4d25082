/// Where finished bytes go, one after another.
///
/// A sink released without `finish()` discards what it was given: half an output is never left under a name that
/// promises a whole one.
public protocol ByteSink: AnyObject {
  /// Appends bytes.
  ///
  /// - Throws: `SinkError` `.writeFailed`: the disk is full, the pipe is closed.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError)

  /// Appends a range of a source.
  ///
  /// - Throws: `TransferError`, from whichever side failed; `.endedEarly` if the source is too short.
  func copy(from reader: SourceReader, at offset: UInt64, count: UInt64) throws(TransferError)

  /// Announces how many bytes will come, as far as that is known, so that space for them can be allocated at once, or
  /// its lack noticed early. What is not used is given back.
  func reserve(_ count: UInt64) throws(SinkError)

  /// Whether bytes already written can still be changed. Those in a pipe cannot.
  var canPatch: Bool { get }

  /// Overwrites bytes written earlier, such as a header once the length is known.
  ///
  /// - Throws: `SinkError` `.writeFailed`; `.cannotPatch` if `canPatch` is false, or if nothing was written there yet.
  func patch(_ bytes: [UInt8], at offset: UInt64) throws(SinkError)

  /// Moves everything from `offset` on towards the end by `count` bytes; the contents of the gap are undefined.
  ///
  /// - Throws: `SinkError` as `patch`.
  func insert(_ count: UInt64, at offset: UInt64) throws(SinkError)

  /// Makes what was written so far survive a power cut, as far as the sink can ensure that.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  func sync() throws(SinkError)

  /// Makes the output complete and visible. Nothing may be written after it. Called again, it does nothing.
  ///
  /// - Throws: `SinkError`; the output is then discarded, and an older one is untouched.
  func finish() throws(SinkError)

  /// Discards the output, as releasing the sink without `finish()` does. Nothing may be written after it.
  func cancel()
}

extension ByteSink {
  /// Appends the bytes of an array.
  ///
  /// - Throws: `SinkError`, as for any other bytes.
  public func write(_ bytes: [UInt8]) throws(SinkError) {
    try write(bytes[...])
  }

  /// Appends the bytes of a slice of an array.
  ///
  /// - Throws: `SinkError`, as for any other bytes.
  public func write(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
    try unsafe bytes.span.withUnsafeBytes { (raw) throws(SinkError) in try unsafe write(raw) }
  }

  /// Reads and writes through a buffer.
  public func copy(from reader: SourceReader, at offset: UInt64, count: UInt64) throws(TransferError) {
    try copyThroughBuffer(from: reader, at: offset, count: count)
  }

  /// Does nothing by default.
  public func reserve(_ count: UInt64) throws(SinkError) {}

  /// False by default.
  public var canPatch: Bool { false }

  /// Always fails by default.
  public func patch(_ bytes: [UInt8], at offset: UInt64) throws(SinkError) {
    throw SinkError(.cannotPatch, name: "this output")
  }

  /// Always fails by default.
  public func insert(_ count: UInt64, at offset: UInt64) throws(SinkError) {
    throw SinkError(.cannotPatch, name: "this output")
  }

  /// Does nothing by default: only files need it.
  public func sync() throws(SinkError) {}

  /// Does nothing by default: only sinks that keep unfinished output need it.
  public func cancel() {}

  /// Reads and writes through a buffer. The first piece is shorter by `phase`, so that the others begin at multiples of
  /// the buffer's size in the output: the page cache takes aligned writes in larger pages.
  func copyThroughBuffer(
    from reader: SourceReader, at offset: UInt64, count: UInt64, phase: UInt64 = 0
  ) throws(TransferError) {
    let buffer = WorkBuffer(count: Int(min(count, CopyBuffer.size)))
    var done: UInt64 = 0
    while done < count {
      let room = UInt64(buffer.count) - (done == 0 ? phase % UInt64(buffer.count) : 0)
      let wanted = Int(min(count - done, room))
      let read: Int
      do { read = try unsafe reader.read(at: offset + done, into: buffer[0..<wanted]) } catch { throw .source(error) }
      guard read == wanted else {
        throw .source(SourceError(.endedEarly, name: reader.source.name, offset: offset + done + UInt64(read)))
      }
      do { try unsafe write(UnsafeRawBufferPointer(buffer[0..<read])) } catch { throw .sink(error) }
      done += UInt64(read)
    }
  }
}

enum CopyBuffer {
  /// Bytes read and written at once: few enough for the processor's cache, enough for large pages in the page cache.
  static let size: UInt64 = 1 << 20
}

/// Why copying from a source to a sink failed.
public enum TransferError: Error, Sendable, Hashable {
  /// Reading failed.
  case source(SourceError)
  /// Writing failed.
  case sink(SinkError)
}

extension TransferError: MediaError {
  /// The error itself: there are no other codes.
  public typealias Code = TransferError

  public var recoverySuggestion: String? { underlying?.recoverySuggestion }

  public var underlying: (any MediaError)? {
    switch self {
    case .source(let error): error
    case .sink(let error): error
    }
  }
}

/// Why bytes could not be written.
public struct SinkError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The output could not be opened; `errno` is given.
    case cannotCreate(Int32)
    /// The file to be changed in place could not be opened for that, or is not a regular file; `errno` is given.
    case cannotChange(Int32)
    /// The output exists, and replacing it was not allowed.
    case exists
    /// Writing or syncing failed; `errno` is given.
    case writeFailed(Int32)
    /// The output is whole and has its name, but the folder could not be synced: a power cut may still take the name
    /// back. `errno` is given.
    case notSynced(Int32)
    /// A file to be changed in place is being read or changed by another process, or elsewhere in this one.
    case inUse
    /// What was written can no longer be changed.
    case cannotPatch
    /// The sink was used after it had finished or failed.
    case finished
    /// The task that was writing was cancelled while it waited for the reader of a pipe.
    case cancelled
  }

  /// What went wrong.
  public let code: Code
  /// The path or description of the output.
  public let name: String
  /// Whether a file of that name existed before, and is unchanged.
  public let keepsOld: Bool

  /// An error from its parts.
  public init(_ code: Code, name: String, keepsOld: Bool = false) {
    self.code = code
    self.name = name
    self.keepsOld = keepsOld
  }

  /// Whether the other end of a pipe went away, as `head` does: the usual way to say "enough".
  public var isBrokenPipe: Bool { code == .writeFailed(SystemError.brokenPipe) }
}

extension SinkError: MediaError {
  public var file: String { name }
  public var location: MediaErrorLocation { MediaErrorLocation() }

  public var kind: MediaErrorKind {
    switch code {
    case .cannotChange(SystemError.noEntry): .notFound
    case .cannotCreate, .cannotChange, .exists: .cannotCreate
    case .writeFailed, .notSynced, .inUse, .cannotPatch, .finished: .readOrWriteFailed
    case .cancelled: .cancelled
    }
  }

  public var reason: String {
    switch code {
    case .cannotCreate(let number): "cannot create output: \(systemMessage(number))"
    case .cannotChange(let number): "cannot be changed: \(systemMessage(number))"
    case .exists: "already exists"
    case .writeFailed(let number):
      "write failed: \(systemMessage(number))" + (keepsOld ? "; the old file is still there, as it was" : "")
    case .notSynced(let number): "written, but its folder could not be synced: \(systemMessage(number))"
    case .inUse: "in use: another program is reading or changing it"
    case .cannotPatch: "what was written cannot be changed"
    case .finished: "written to after it was finished"
    case .cancelled: "writing was cancelled"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .exists: "choose another name, or allow it to be replaced"
    case .notSynced: "run sync before you rely on it"
    case .inUse: "try again later"
    case .cannotPatch: "write to a file instead"
    case .cannotCreate(SystemError.noEntry): "its folder does not exist"
    case .cannotCreate(SystemError.nameTooLong): "choose a shorter name"
    case .cannotCreate, .cannotChange, .writeFailed, .finished, .cancelled: nil
    }
  }
}

/// Collects bytes in memory.
public final class MemorySink: ByteSink {
  /// What was written.
  public private(set) var bytes: [UInt8] = []

  /// An empty sink.
  public init() {}

  /// Appends bytes; never fails.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
    unsafe self.bytes.append(contentsOf: bytes)
  }

  /// Memory can always be changed.
  public var canPatch: Bool { true }

  /// Replaces bytes; see `ByteSink`.
  public func patch(_ bytes: [UInt8], at offset: UInt64) throws(SinkError) {
    guard offset <= self.bytes.count, bytes.count <= self.bytes.count - Int(offset) else {
      throw SinkError(.cannotPatch, name: "memory")
    }
    self.bytes.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes)
  }

  /// Inserts zeros; see `ByteSink`.
  public func insert(_ count: UInt64, at offset: UInt64) throws(SinkError) {
    guard offset <= bytes.count, count <= UInt64(Int.max) - UInt64(bytes.count) else {
      throw SinkError(.cannotPatch, name: "memory")
    }
    bytes.insert(contentsOf: repeatElement(0, count: Int(count)), at: Int(offset))
  }

  /// Nothing to do.
  public func finish() throws(SinkError) {}

  /// Discards what was written.
  public func cancel() {
    bytes = []
  }
}
