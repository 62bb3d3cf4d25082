#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A value that one thread at a time may use.
///
/// Swift's `Mutex` is the same, but ThreadSanitizer, which knows the locks of pthreads, does not know it: all that it
/// orders looks like a race. With this one it can be asked whether there are any.
///
/// `@unchecked Sendable`: the value is touched with the lock held only.
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private nonisolated(unsafe) var value: Value

  /// A lock around a value.
  package init(_ value: consuming sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Uses the value; others who want it wait meanwhile. Not to be called again from within.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
