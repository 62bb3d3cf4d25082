/// A regular file, read at offsets.
///
/// It is read, never mapped: when another process cuts a mapped file short, touching the lost pages kills the
/// reader with SIGBUS, whereas a read just returns fewer bytes.
public final class FileSource: ByteSource {
  /// The path it was opened by.
  public let name: String
  /// Size when it was opened.
  public let size: UInt64
  let identity: FileStatus.Identity
  /// Never another one: `reopen()` has its number lead to a newly opened file.
  let file: FileDescriptor

  /// Opens a file for reading.
  ///
  /// - Throws: `SourceError`: `.notFound`, `.notReadable` for what is not a regular file, `.system` otherwise.
  public init(path: String) throws(SourceError) {
    let opened = try FileSource.open(path)
    name = path
    size = opened.status.size
    identity = opened.status.identity
    file = opened.file
  }

  /// Reads with `pread`; see `ByteSource`.
  public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    do {
      return try System.read(file, at: offset, into: buffer)
    } catch {
      throw SourceError(.system(error.number), name: name, offset: offset)
    }
  }

  /// Has the kernel copy bytes to where another file is written.
  ///
  /// - Returns: bytes copied; 0 at the end.
  func copy(at offset: UInt64, count: UInt64, to output: FileDescriptor) throws(SystemError) -> UInt64 {
    try System.copyRange(file, at: offset, count: count, to: output)
  }

  /// Opens the path again. Reads that are under way end undisturbed, on the file as it was open before.
  ///
  /// - Throws: `SourceError`: `.changed` when the path now leads to a different file.
  public func reopen() throws(SourceError) {
    let opened = try FileSource.open(name)
    guard opened.status.identity == identity, opened.status.size == size else {
      throw SourceError(.changed, name: name)
    }
    do {
      try System.redirect(file, to: opened.file)
    } catch {
      throw SourceError(.system(error.number), name: name)
    }
  }

  private static func open(_ path: String) throws(SourceError) -> (file: FileDescriptor, status: FileStatus) {
    do {
      let file = try System.openForReading(path)
      let status = try System.status(of: file)
      guard status.kind == .regular else { throw SourceError(.notReadable, name: path) }
      return (file, status)
    } catch let error as SystemError {
      throw SourceError(error.number == SystemError.notFound ? .notFound : .system(error.number), name: path)
    } catch let error as SourceError {
      throw error
    } catch {
      throw SourceError(.notReadable, name: path)
    }
  }
}
