#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

// What recordings ask of the system: locks, the right to write, and folders that are synced.

extension System {
  /// Has others see that a file is in use, for as long as it is open; others who only look do not stand in the way.
  ///
  /// Where the file system has no locks, nothing happens.
  static func markInUse(_ file: FileDescriptor) {
    _ = try? call { flock(file.number, LOCK_SH) }
  }

  /// Whether somebody uses the file at a path.
  static func isInUse(_ path: String) -> Bool {
    guard let file = try? openForReading(path) else { return false }
    do throws(SystemError) {
      _ = try call { flock(file.number, LOCK_EX | LOCK_NB) }
      return false
    } catch {
      return error.number == EWOULDBLOCK
    }
  }

  /// Whether a file may be written to, by its permissions. A file that its owner has protected from writing may not,
  /// not even by those to whom the system allows everything.
  static func isWritable(_ path: String, _ status: FileStatus) -> Bool {
    status.mode & UInt32(S_IWUSR) != 0 && access(path, W_OK) == 0
  }

  /// Has the disk hold the names in a folder. What a file system cannot sync it need not: nothing is said.
  static func syncFolder(_ folder: String) {
    guard let file = try? call({ open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) else { return }
    _ = fsync(file)
    _ = close(file)
  }
}
