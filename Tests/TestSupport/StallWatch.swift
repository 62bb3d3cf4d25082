internal import Foundation
internal import MediaCore

/// Notices when a processor is not to be had: a thread on each sleeps for two milliseconds, again and again, and sees
/// how late it wakes.
///
/// A virtual machine whose host is busy stands still for tens of milliseconds, and nothing in it can tell why sound was
/// late. A sound server that is kept waiting is no fault of ours.
final class StallWatch: Sendable {
  private struct State {
    var latest: Int64 = 0
    var isOver = false
    var running = 0
  }

  private let state = Lock(State())

  private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutablePointer<cpu_set_t>) -> Int32

  /// Starts to watch each processor that this process may run on.
  init() {
    var allowed = cpu_set_t()
    guard Self.call("sched_getaffinity", &allowed) else { return }
    let bytes = unsafe withUnsafeBytes(of: &allowed) { unsafe Array($0) }
    let processors = (0..<(8 * bytes.count)).filter { bytes[$0 / 8] & (1 << ($0 % 8)) != 0 }
    state.withLock { $0.running = processors.count }
    for processor in processors { Thread.detachNewThread { [self] in watch(processor) } }
  }

  /// Asks, or says, where this thread may run. Found by name, as Swift's Glibc declares neither of the two.
  private static func call(_ name: String, _ processors: inout cpu_set_t) -> Bool {
    guard let function = unsafe dlsym(nil, name) else { return false }
    return unsafe unsafeBitCast(function, to: Affinity.self)(0, MemoryLayout<cpu_set_t>.size, &processors) == 0
  }

  private func watch(_ processor: Int) {
    var only = cpu_set_t()
    unsafe withUnsafeMutableBytes(of: &only) { unsafe $0[processor / 8] = 1 << (processor % 8) }
    _ = Self.call("sched_setaffinity", &only)
    var isOver = false
    while !isOver {
      let due = DispatchTime.now().uptimeNanoseconds + 2_000_000
      usleep(2000)
      let late = Int64(DispatchTime.now().uptimeNanoseconds) - Int64(due)
      isOver = state.withLock {
        $0.latest = max($0.latest, late)
        return $0.isOver
      }
    }
    state.withLock { $0.running -= 1 }
  }

  /// For how long a processor was not to be had, at worst.
  var longest: Duration { .nanoseconds(state.withLock { $0.latest }) }

  /// How many threads watch.
  var threads: Int { state.withLock { $0.running } }

  /// Ends the threads.
  func end() {
    state.withLock { $0.isOver = true }
    waitUntil { threads == 0 }
  }
}
