internal import CLinux

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Which other processes may lock a file at the same time: see flock(2).
enum FileLock: Sendable {
  /// Others that read it.
  case shared
  /// No other process.
  case exclusive

  /// How long to wait for a lock at most, in microseconds. An index is moved in place within milliseconds, while a
  /// process that holds a file much longer (a player) may hold it for hours.
  static let patience = 1_000_000
  /// Microseconds between two attempts.
  fileprivate static let interval = 5_000
}

extension System {
  /// Takes a lock, which lasts until the file is closed. Waits up to a second for others to release theirs.
  ///
  /// Locks are advisory. They keep processes that use this library from changing a file that another one reads or
  /// changes.
  ///
  /// - Parameter patience: microseconds to wait, at most.
  /// - Returns: whether the lock was obtained.
  /// - Throws: `SystemError` where the file system has no locks.
  static func lock(_ file: FileDescriptor, _ lock: FileLock, patience: Int = FileLock.patience) throws(SystemError)
    -> Bool
  {
    let operation = lock == .shared ? LOCK_SH : LOCK_EX
    var waited = 0
    while true {
      do throws(SystemError) {
        _ = try call { flock(file.number, operation | LOCK_NB) }
        return true
      } catch  where error.number == EWOULDBLOCK {
        guard waited < patience else { return false }
        _ = usleep(UInt32(FileLock.interval))
        waited += FileLock.interval
      }
    }
  }

  /// Marks a file as one that grows, until it is closed, beside the lock that those who read it take as well. Some file
  /// systems have no such marks.
  static func mark(_ file: FileDescriptor) { _ = lyrebird_mark(file.number) }

  /// Whether the file at a path was marked by another open of it.
  static func isMarked(_ path: String) -> Bool {
    guard let file = try? openForReading(path) else { return false }
    return lyrebird_is_marked(file.number) != 0
  }

  /// Whether the file at a path is locked by another open of it.
  static func isInUse(_ path: String) -> Bool {
    guard let file = try? openForReading(path) else { return false }
    return (try? lock(file, .exclusive, patience: 0)) == false
  }
}
