#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A value that one thread at a time may use.
///
/// Swift's `Mutex` does the same, but ThreadSanitizer only knows the locks of pthreads: all that a `Mutex` protects
/// looks like a race to it. With this lock it finds only real ones.
///
/// `@unchecked Sendable`: the value is only touched with the lock held. Safe for the same reason; and the mutex stays
/// where it is, as pthreads require, until nobody can use it any more.
@safe
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private nonisolated(unsafe) var value: Value

  /// A lock around a value.
  package init(_ value: consuming sending Value) {
    unsafe self.value = value
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Uses the value while others wait. Must not be called again from within `body`.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try unsafe body(&value)
  }
}
