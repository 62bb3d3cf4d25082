// The few system calls that files need. Everything that differs between C libraries is in this file.

internal import CLinux

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The system's words for an error number.
public func systemMessage(_ number: Int32) -> String {
  guard let text = strerror(number) else { return "error \(number)" }
  return String(cString: text)
}

/// An open file: closed when the last reference to it goes.
final class FileDescriptor: Sendable {
  let number: Int32
  private let isOwned: Bool

  init(_ number: Int32) {
    self.number = number
    isOwned = true
  }

  /// One of the three that every process starts with, and that it does not close.
  init(standard number: Int32) {
    self.number = number
    isOwned = false
  }

  deinit {
    if isOwned { _ = close(number) }
  }
}

/// What the system says of a file.
struct FileStatus: Sendable, Equatable {
  enum Kind: Sendable { case regular, folder, other }
  let kind: Kind
  let size: UInt64
  /// Device and inode: together they tell whether two names are one file.
  let identity: Identity
  /// Permission bits.
  let mode: UInt32
  let owner: UInt32
  let group: UInt32

  struct Identity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
  }
}

/// A failed system call.
struct SystemError: Error {
  let number: Int32

  static var notFound: Int32 { ENOENT }
  static var exists: Int32 { EEXIST }
  static var tooManyLinks: Int32 { ELOOP }
  static var interrupted: Int32 { EINTR }
  static var brokenPipe: Int32 { EPIPE }
  static var inputOutput: Int32 { EIO }
  /// What is said of files, or pairs of files, that the kernel cannot copy between or give blocks to.
  static var cannotCopy: [Int32] { [EINVAL, EXDEV, ENOSYS, EOPNOTSUPP, EBADF, EISDIR, ETXTBSY, EPERM] }
  static var notSupported: [Int32] { [EOPNOTSUPP, EISDIR, EINVAL, ENOENT] }
}

enum System {
  /// Asks again as long as a signal got in the way; -1 becomes an error.
  static func call<Result: FixedWidthInteger>(_ body: () -> Result) throws(SystemError) -> Result {
    while true {
      let result = body()
      if result != -1 { return result }
      let number = errno
      if number != SystemError.interrupted { throw SystemError(number: number) }
    }
  }

  static func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
    // Not blocking: opening a pipe that nobody writes to would otherwise wait for ever.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
    #if canImport(Glibc)
      let leavesAccessTime = __O_NOATIME
    #else
      let leavesAccessTime = O_NOATIME
    #endif
    do {
      // That a file was read is noted with each read, which is a tenth of what a short one takes. Nobody asks.
      return FileDescriptor(try call { open(path, flags | leavesAccessTime) })
    } catch  where error.number == EPERM {
      // Only a file's owner may leave it unnoted.
      return FileDescriptor(try call { open(path, flags) })
    }
  }

  /// Has a descriptor lead to what another one leads to, in one step: whoever reads by its number meets one or the other.
  static func redirect(_ file: FileDescriptor, to other: FileDescriptor) throws(SystemError) {
    _ = try call { lyrebird_redirect(file.number, other.number) }
  }

  static func openForWriting(_ path: String) throws(SystemError) -> FileDescriptor {
    FileDescriptor(try call { open(path, O_WRONLY | O_CLOEXEC) })
  }

  static func openForEditing(_ path: String) throws(SystemError) -> FileDescriptor {
    FileDescriptor(try call { open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) })
  }

  /// A new file that must not exist yet.
  static func create(_ path: String, mode: UInt32 = 0o666) throws(SystemError) -> FileDescriptor {
    FileDescriptor(try call { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode)) })
  }

  /// A new file without a name: whatever happens to this process, nothing stays behind.
  static func createUnnamed(inFolder folder: String) throws(SystemError) -> FileDescriptor {
    #if canImport(Glibc)
      let unnamed = __O_TMPFILE | O_DIRECTORY
    #else
      let unnamed = O_TMPFILE
    #endif
    return FileDescriptor(try call { open(folder, O_RDWR | unnamed | O_CLOEXEC, 0o666) })
  }

  /// Gives an unnamed file its name; fails where the name is taken.
  static func link(_ file: FileDescriptor, to path: String) throws(SystemError) {
    _ = try call { linkat(AT_FDCWD, "/proc/self/fd/\(file.number)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) }
  }

  static func rename(_ from: String, to path: String) throws(SystemError) {
    #if canImport(Glibc)
      _ = try call { Glibc.rename(from, path) }
    #else
      _ = try call { Musl.rename(from, path) }
    #endif
  }

  static func remove(_ path: String) {
    _ = unlink(path)
  }

  static func sync(_ file: FileDescriptor) throws(SystemError) {
    _ = try call { fsync(file.number) }
  }

  /// Syncs the data, and of the rest only what reading it back takes.
  static func syncData(_ file: FileDescriptor) throws(SystemError) {
    _ = try call { fdatasync(file.number) }
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
    return try call { pread(file.number, buffer.baseAddress, buffer.count, position) }
  }

  static func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      #if canImport(Glibc)
        written += try call { Glibc.write(file.number, rest.baseAddress, rest.count) }
      #else
        written += try call { Musl.write(file.number, rest.baseAddress, rest.count) }
      #endif
    }
  }

  /// Writes over what is there; where the next plain `write` goes does not change.
  static func write(_ file: FileDescriptor, _ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { raw in
      do throws(SystemError) { try write(file, raw, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  static func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let position = try place(offset + UInt64(written))
      written += try call { pwrite(file.number, rest.baseAddress, rest.count, position) }
    }
  }

  /// Inserts a hole: all that is behind it moves back, and so does where the next plain `write` goes.
  static func insert(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_insert_range(file.number, offset, count) }
  }

  /// Takes a range out: all that is behind it moves forward.
  static func collapse(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_collapse_range(file.number, offset, count) }
  }

  /// Gives a file blocks; its size stays as it is.
  static func reserve(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_reserve(file.number, offset, count) }
  }

  private static func place(_ offset: UInt64) throws(SystemError) -> off_t {
    guard let offset = off_t(exactly: offset) else { throw SystemError(number: EFBIG) }
    return offset
  }

  /// Whether a file is on ext4 (or on its forebears, which lack what only ext4 can).
  static func isExt4(_ file: FileDescriptor) throws(SystemError) -> Bool {
    try call { lyrebird_file_system(file.number) } == 0xEF53
  }

  static func truncate(_ file: FileDescriptor, to size: UInt64) throws(SystemError) {
    let size = try place(size)
    _ = try call { ftruncate(file.number, size) }
  }

  /// - Returns: bytes of a block of the file system that a file is on.
  static func blockSize(of file: FileDescriptor) throws(SystemError) -> UInt64 {
    var info = statvfs()
    _ = try call { fstatvfs(file.number, &info) }
    return max(UInt64(info.f_bsize), 512)
  }

  /// - Returns: bytes copied to where `output` is written; 0 at the end of the input.
  static func copyRange(_ input: FileDescriptor, at offset: UInt64, count: UInt64, to output: FileDescriptor)
    throws(SystemError) -> UInt64
  {
    guard var position = off_t(exactly: offset) else { return 0 }
    // The kernel takes a little less than 2 GiB at a time.
    let piece = Int(min(count, 1 << 30))
    return UInt64(try call { lyrebird_copy_file_range(input.number, &position, output.number, piece) })
  }

  /// A new io_uring; see `ReadRing`.
  static func makeRing(requests: Int, _ parameters: inout io_uring_params) throws(SystemError) -> FileDescriptor {
    FileDescriptor(try call { lyrebird_ring_setup(UInt32(requests), &parameters) })
  }

  /// Makes a file known to a ring, as its number 0.
  static func register(_ file: FileDescriptor, in ring: FileDescriptor) throws(SystemError) {
    _ = try call { lyrebird_ring_register_file(ring.number, file.number) }
  }

  /// Makes memory known to a ring, as its number 0; it stays in physical memory as long as the ring exists.
  static func register(_ buffer: UnsafeMutableRawBufferPointer, in ring: FileDescriptor) throws(SystemError) {
    _ = try call { lyrebird_ring_register_memory(ring.number, buffer.baseAddress, buffer.count) }
  }

  /// Hands in requests, and waits for answers.
  ///
  /// - Returns: requests taken.
  static func enter(_ ring: FileDescriptor, requests: Int, answers: Int) throws(SystemError) -> Int {
    Int(try call { lyrebird_ring_enter(ring.number, UInt32(requests), UInt32(answers)) })
  }

  /// Shows a part of a file in memory; what is written there is written to the file.
  static func map(_ file: FileDescriptor, _ count: Int, at offset: UInt64) throws(SystemError)
    -> UnsafeMutableRawPointer
  {
    let offset = try place(offset)
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, offset)
    // Failure is the address -1.
    guard let start, Int(bitPattern: start) != -1 else { throw SystemError(number: errno) }
    return start
  }

  static func unmap(_ start: UnsafeMutableRawPointer, _ count: Int) {
    munmap(start, count)
  }

  /// Sets where the next plain `write` goes.
  static func seek(_ file: FileDescriptor, to offset: UInt64) throws(SystemError) {
    let offset = try place(offset)
    _ = try call { lseek(file.number, offset, SEEK_SET) }
  }

  /// Gives a file its blocks, and its size, before they are written.
  static func allocate(_ file: FileDescriptor, _ count: UInt64) throws(SystemError) {
    let count = try place(count)
    _ = try call { lyrebird_allocate(file.number, count) }
  }

  static func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    var info = stat()
    _ = try call { fstat(file.number, &info) }
    return FileStatus(info)
  }

  /// The status of what a path leads to, or `nil` where there is nothing.
  static func status(of path: String) throws(SystemError) -> FileStatus? {
    var info = stat()
    do {
      _ = try call { stat(path, &info) }
    } catch  where error.number == ENOENT {
      return nil
    }
    return FileStatus(info)
  }

  /// The path behind symbolic links, or `nil` where it leads nowhere.
  static func resolved(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// Where a symbolic link points, or `nil` where the path is not one.
  static func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension FileStatus {
  fileprivate init(_ info: stat) {
    kind =
      switch info.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      default: .other
      }
    size = UInt64(clamping: info.st_size)
    identity = Identity(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    mode = UInt32(info.st_mode & 0o7777)
    owner = info.st_uid
    group = info.st_gid
  }
}
