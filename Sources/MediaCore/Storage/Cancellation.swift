/// Whether the task that does some work was cancelled.
///
/// The core is synchronous, and so is told of it only if it asks. It asks where that costs nothing beside what is done
/// there: at each read of a source (`SourceReader`), at each stretch that the kernel copies, and every some dozen packets
/// of an encoder. Work that is given up leaves no output, as any other failure does. Outside of tasks, as on threads of
/// recorders and players, nothing is cancelled but what is `watched`.
package enum Cancellation {
  @TaskLocal private static var isShielded = false
  @TaskLocal private static var isGivenUp: (@Sendable () -> Bool)?

  /// Whether what is done for the current task is to be given up.
  package static var isRequested: Bool { (Task.isCancelled || isGivenUp?() == true) && !isShielded }

  /// Does something to its end, even if the task is cancelled: what would leave a file worse off half done.
  package static func shielded<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = $isShielded.withValue(true) { () -> Result<Value, Failure> in
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Does something that may take long, on a thread that belongs to no task.
  ///
  /// - Parameters:
  ///   - isGivenUp: whether to give it up, as if a task was cancelled: asked as often as a task is.
  ///   - body: what to do.
  package static func watched<Value, Failure: Error>(
    by isGivenUp: @escaping @Sendable () -> Bool, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = $isGivenUp.withValue(isGivenUp) { () -> Result<Value, Failure> in
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
