#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A nudge from one thread to another that waits for it: a counting semaphore.
///
/// Giving one takes no lock and never waits, so a device's thread may do it.
///
/// `@unchecked Sendable`: semaphores are made to be used by several threads at once. Safe: this one exists, and stays
/// where it is, until nobody can use it any more.
@safe
final class Signal: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func give() {
    unsafe sem_post(semaphore)
  }

  /// Waits for a signal, for at most `limit`.
  ///
  /// - Returns: whether one came.
  func take(within limit: Duration) -> Bool {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &deadline)
    let nanoseconds = Int64(deadline.tv_nsec) + limit.nanoseconds
    deadline.tv_sec += Int(nanoseconds / 1_000_000_000)
    deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
    while unsafe sem_timedwait(semaphore, &deadline) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}

extension Duration {
  /// In nanoseconds; more than a year is taken as a year.
  var nanoseconds: Int64 {
    let limit: Int64 = 366 * 86_400
    let seconds = max(min(components.seconds, limit), 0)
    return seconds * 1_000_000_000 + max(components.attoseconds, 0) / 1_000_000_000
  }
}
