// The few system calls that files need. Everything that differs between C libraries is in this file.
//
// What is marked unsafe here hands memory to C: a path, which Swift ends with a zero and keeps until the call returns;
// a structure for the answer; or a buffer, always with its own size. No call keeps a pointer.

internal import CLinux

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The system's words for an error number.
package func systemMessage(_ number: Int32) -> String {
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}

enum System {
  /// Repeats a call that a signal interrupted; -1 becomes an error.
  ///
  /// - Parameter canWait: whether the call may wait for another process for ever, as for the reader of a pipe: it is not
  ///   repeated once the work was cancelled, nor, if waiting is to end, when it is interrupted a second time.
  static func call<Result: FixedWidthInteger>(
    canWait: Bool = false, _ body: () -> Result
  ) throws(SystemError) -> Result {
    var interruptions = 0
    while true {
      let result = body()
      if result != -1 { return result }
      let number = errno
      guard number == SystemError.interrupted else { throw SystemError(number: number) }
      interruptions += 1
      if canWait, Cancellation.isRequested || interruptions > 1 && Cancellation.isWaitOver {
        throw SystemError(number: number)
      }
    }
  }

  /// Whether a path has a zero byte in it. The kernel would stop reading there, and mean another file.
  static func hasZero(_ path: String) -> Bool { path.utf8.contains(0) }

  /// - Throws: `SystemError` for a path with a zero byte in it.
  static func checkPath(_ path: String) throws(SystemError) {
    if hasZero(path) { throw SystemError(number: EINVAL) }
  }

  /// Opens a file; it is closed when a program is run.
  static func openFile(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> FileDescriptor {
    try checkPath(path)
    return FileDescriptor(try call(canWait: true) { unsafe open(path, flags | O_CLOEXEC, mode_t(mode)) })
  }

  static func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
    // Non-blocking: opening a pipe without a writer would otherwise wait for ever.
    let flags = O_RDONLY | O_NONBLOCK
    #if canImport(Glibc)
      let leavesAccessTime = __O_NOATIME
    #else
      let leavesAccessTime = O_NOATIME
    #endif
    do {
      // Updating the access time takes a tenth of the time of a short read, and is not needed.
      return try openFile(path, flags | leavesAccessTime)
    } catch  where error.number == EPERM {
      // Only the owner of a file may skip that.
      return try openFile(path, flags)
    }
  }

  /// Makes a descriptor refer to the open file of another one, atomically: a concurrent read uses one or the other.
  static func redirect(_ file: FileDescriptor, to other: FileDescriptor) throws(SystemError) {
    _ = try call { lyrebird_redirect(file.number, other.number) }
  }

  static func openForWriting(_ path: String) throws(SystemError) -> FileDescriptor {
    try openFile(path, O_WRONLY)
  }

  static func openForEditing(_ path: String) throws(SystemError) -> FileDescriptor {
    try openFile(path, O_RDWR | O_NONBLOCK)
  }

  /// A new file that must not exist yet.
  static func create(_ path: String, mode: UInt32 = 0o666) throws(SystemError) -> FileDescriptor {
    try openFile(path, O_RDWR | O_CREAT | O_EXCL, mode: mode)
  }

  /// A new unnamed file: whatever happens to this process, nothing is left behind.
  static func createUnnamed(inFolder folder: String) throws(SystemError) -> FileDescriptor {
    #if canImport(Glibc)
      let unnamed = __O_TMPFILE | O_DIRECTORY
    #else
      let unnamed = O_TMPFILE
    #endif
    return try openFile(folder, O_RDWR | unnamed, mode: 0o666)
  }

  static func sync(_ file: FileDescriptor) throws(SystemError) {
    _ = try call { fsync(file.number) }
  }

  /// Syncs the data, and of the metadata only what reading it back needs.
  static func syncData(_ file: FileDescriptor) throws(SystemError) {
    _ = try call { fdatasync(file.number) }
  }

  /// Reports errors that a network file system defers until the file is closed.
  static func flush(_ file: FileDescriptor) throws(SystemError) {
    let copy = try call { lyrebird_duplicate(file.number) }
    // It is closed in any case, so an interruption is no reason to try again.
    if close(copy) != 0, errno != EINTR { throw SystemError(number: errno) }
  }

  static func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) {
    _ = try call { fchmod(file.number, mode_t(mode)) }
  }

  /// Gives the file an owner, where the system lets us.
  static func setOwner(_ file: FileDescriptor, owner: UInt32, group: UInt32) {
    _ = fchown(file.number, owner, group)
  }

  static func read(_ file: FileDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(SystemError) -> Int
  {
    guard let position = off_t(exactly: offset) else { return 0 }
    return try call { unsafe pread(file.number, buffer.baseAddress, buffer.count, position) }
  }

  static func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      #if canImport(Glibc)
        written += try progress(call(canWait: true) { unsafe Glibc.write(file.number, rest.baseAddress, rest.count) })
      #else
        written += try progress(call(canWait: true) { Musl.write(file.number, rest.baseAddress, rest.count) })
      #endif
      // A signal lets a pipe take a part only; waiting again would be to ignore it.
      if written < bytes.count, Cancellation.isRequested { throw SystemError(number: SystemError.interrupted) }
    }
  }

  /// Overwrites bytes; the position of the next plain `write` does not change.
  static func write(_ file: FileDescriptor, _ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    try unsafe bytes.span.withUnsafeBytes { (raw) throws(SystemError) in try unsafe write(file, raw, at: offset) }
  }

  static func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let position = try place(offset + UInt64(written))
      written += try progress(call { unsafe pwrite(file.number, rest.baseAddress, rest.count, position) })
    }
  }

  /// Makes an error of a write that takes nothing and gives no reason: it would be repeated for ever.
  private static func progress(_ count: Int) throws(SystemError) -> Int {
    guard count > 0 else { throw SystemError(number: EIO) }
    return count
  }

  /// An offset as the system takes it.
  static func place(_ offset: UInt64) throws(SystemError) -> off_t {
    guard let offset = off_t(exactly: offset) else { throw SystemError(number: EFBIG) }
    return offset
  }

  /// Whether a file is on ext4 (or on its predecessors, which lack what only ext4 can do).
  static func isExt4(_ file: FileDescriptor) throws(SystemError) -> Bool {
    try call { lyrebird_file_system(file.number) } == 0xEF53
  }

  /// - Returns: bytes of a block of the file system that a file is on.
  static func blockSize(of file: FileDescriptor) throws(SystemError) -> UInt64 {
    var info = statvfs()
    _ = try call { unsafe fstatvfs(file.number, &info) }
    return max(UInt64(info.f_bsize), 512)
  }

  /// - Returns: bytes copied to the write position of `output`; 0 at the end of the input.
  static func copyRange(_ input: FileDescriptor, at offset: UInt64, count: UInt64, to output: FileDescriptor)
    throws(SystemError) -> UInt64
  {
    guard var position = off_t(exactly: offset) else { return 0 }
    // The kernel takes a little less than 2 GiB at a time.
    let piece = Int(min(count, 1 << 30))
    return UInt64(try call { unsafe lyrebird_copy_file_range(input.number, &position, output.number, piece) })
  }

  /// Sets the position of the next plain `write`.
  static func seek(_ file: FileDescriptor, to offset: UInt64) throws(SystemError) {
    let offset = try place(offset)
    _ = try call { lseek(file.number, offset, SEEK_SET) }
  }

  static func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    var info = stat()
    _ = try call { unsafe fstat(file.number, &info) }
    return FileStatus(info)
  }

  /// The status of what a path leads to, or `nil` if nothing exists there.
  static func status(of path: String) throws(SystemError) -> FileStatus? {
    try checkPath(path)
    var info = stat()
    do {
      _ = try call { unsafe stat(path, &info) }
    } catch  where error.number == ENOENT {
      return nil
    }
    return FileStatus(info)
  }
}
