internal import Foundation

/// Measures how long this thread keeps a processor busy: on a machine that does other things too, the wall clock says
/// nothing of the work.
public struct ProcessorTimer {
  private let start = ProcessorTimer.now

  /// A timer that starts now, on this thread.
  public init() {}

  /// Time since the start, on the same thread.
  public var elapsed: Duration { ProcessorTimer.now - start }

  private static var now: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
