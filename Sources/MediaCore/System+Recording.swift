#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

// Locks on recordings.

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
}
