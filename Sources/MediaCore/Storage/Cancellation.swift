/// Whether the task that does some work was cancelled.
///
/// The core is synchronous, so it has to ask. It does so where asking costs nothing beside the work itself: at each
/// read of a source (`SourceReader`), at each stretch that the kernel copies, and every few dozen packets of an
/// encoder. Cancelled work leaves no output, as after any other failure. Outside of tasks, as on the threads of
/// recorders and players, nothing is cancelled except what is `watched`.
package enum Cancellation {
  @TaskLocal private static var isShielded = false
  @TaskLocal private static var isGivenUp: (@Sendable () -> Bool)?
  @TaskLocal private static var isWaitGivenUp: (@Sendable () -> Bool)?

  /// Whether work for the current task should stop.
  package static var isRequested: Bool { (Task.isCancelled || isGivenUp?() == true) && !isShielded }

  /// Whether a wait for another process should end, as for the reader of a pipe, even if the work may go on.
  static var isWaitOver: Bool { isWaitGivenUp?() == true && !isShielded }

  /// Runs `body` to its end even if the task is cancelled: for work that would leave a file worse off half done.
  package static func shielded<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = $isShielded.withValue(true) { () -> Result<Value, Failure> in
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Runs work that may take long on a thread that belongs to no task.
  ///
  /// - Parameters:
  ///   - isGivenUp: whether to stop, as if a task had been cancelled; asked as often as a task would be.
  ///   - isWaitGivenUp: whether to wait no longer for another process; asked when a signal interrupts a wait again.
  ///   - body: the work.
  package static func watched<Value, Failure: Error>(
    by isGivenUp: @escaping @Sendable () -> Bool, waiting isWaitGivenUp: (@Sendable () -> Bool)? = nil,
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = $isGivenUp.withValue(isGivenUp) {
      $isWaitGivenUp.withValue(isWaitGivenUp) { () -> Result<Value, Failure> in
        do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
      }
    }
    return try result.get()
  }
}
