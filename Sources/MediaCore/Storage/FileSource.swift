/// A regular file, read at offsets.
///
/// It is read, never mapped: when another process cuts a mapped file short, touching the lost pages kills the
/// reader with SIGBUS, whereas a read just returns fewer bytes.
///
/// While it is open it holds a shared lock (`flock`), if the file system has locks, so that this library does not
/// change the file in place while it is being read. Changes by others are found by `change()`.
public final class FileSource: ByteSource {
  /// The path it was opened by.
  public let name: String
  /// Size when it was opened.
  public var size: UInt64 { opened.size }
  /// Its status when it was opened.
  private let opened: FileStatus
  /// Whether the file belongs to an `EditableFile`, which may have changed it by now.
  private let isLent: Bool
  /// Stays the same: `reopen()` makes its number refer to a newly opened file.
  let file: FileDescriptor

  /// Opens a file for reading.
  ///
  /// - Throws: `SourceError`: `.notFound`, `.notReadable` for what is not a regular file, `.system` otherwise.
  public init(path: String) throws(SourceError) {
    let found = try FileSource.open(path)
    name = path
    opened = found.status
    file = found.file
    isLent = false
  }

  /// A source that reads an already open file; not to be used after its owner changes it.
  init(lent file: FileDescriptor, status: FileStatus, name: String) {
    self.name = name
    opened = status
    self.file = file
    isLent = true
  }

  /// Reads with `pread`; see `ByteSource`.
  public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    do {
      return try unsafe System.read(file, at: offset, into: buffer)
    } catch {
      throw SourceError(.system(error.number), name: name, offset: offset)
    }
  }

  /// Has the kernel copy bytes to the write position of another file.
  ///
  /// - Returns: bytes copied; 0 at the end.
  func copy(at offset: UInt64, count: UInt64, to output: FileDescriptor) throws(SystemError) -> UInt64 {
    try System.copyRange(file, at: offset, count: count, to: output)
  }

  /// Opens the path again. Reads already under way finish undisturbed, on the file that was open before.
  ///
  /// - Throws: `SourceError`: `.changed` when the path now leads to a different file.
  public func reopen() throws(SourceError) {
    // A lent file belongs to its owner, who may write to it: it is read again as it is.
    if isLent { return }
    let found = try FileSource.open(name)
    guard found.status.identity == opened.identity, found.status.size == size else {
      throw SourceError(.changed, name: name)
    }
    do {
      try System.redirect(file, to: found.file)
    } catch {
      throw SourceError(.system(error.number), name: name)
    }
  }

  /// Compares size and times with those at opening: a new name or a new mode counts as a change, too.
  public func change() throws(SourceError) -> SourceChange {
    let now: FileStatus
    do { now = try System.status(of: file) } catch { throw SourceError(.system(error.number), name: name) }
    if now.size > opened.size { return .grown }
    let isSame = now.size == opened.size && now.modified == opened.modified && now.changed == opened.changed
    return isSame ? .none : .changed
  }

  private static func open(_ path: String) throws(SourceError) -> (file: FileDescriptor, status: FileStatus) {
    do {
      let file = try System.openForReading(path)
      // Without locks, or while another process holds one, reading continues: `change()` still detects changes.
      _ = try? System.lock(file, .shared)
      let status = try System.status(of: file)
      guard status.kind == .regular else { throw SourceError(.notReadable, name: path) }
      return (file, status)
    } catch let error as SystemError {
      throw SourceError(SystemError.notFound.contains(error.number) ? .notFound : .system(error.number), name: path)
    } catch let error as SourceError {
      throw error
    } catch {
      throw SourceError(.notReadable, name: path)
    }
  }
}
