internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Waiting, for a command that has nothing else to do meanwhile.
enum Blocking {
  /// Runs asynchronous work to its end.
  static func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
    let box = Box<Result>()
    Task {
      do {
        let result = try await work()
        box.outcome.withLock { $0 = .success(result) }
      } catch {
        box.outcome.withLock { $0 = .failure(error) }
      }
      box.isDone.signal()
    }
    box.isDone.wait()
    guard let result = box.outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }

  private final class Box<Value: Sendable>: Sendable {
    let outcome = Mutex<Swift.Result<Value, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
  }

  static func sleep(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
  }
}
