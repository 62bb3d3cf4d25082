internal import MediaCore
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What drives a virtual device: real time, or a test.
public protocol DeviceClock: Sendable {
  /// Nanoseconds since an arbitrary time in the past; never goes back.
  var now: Int64 { get }

  /// Calls `tick` once a period, on a thread that the clock chooses.
  ///
  /// - Parameters:
  ///   - period: nanoseconds, above 0.
  ///   - tick: called with the time at which the tick was due.
  /// - Returns: the timer, which stops the ticks.
  func every(_ period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) -> any DeviceTimer
}

/// The limits of a period.
private enum DevicePeriod {
  /// In nanoseconds, clamped to at most a year: few enough that adding them up never overflows in practice.
  static func bounded(_ period: Int64) -> Int64 { min(max(period, 1), Duration.seconds(366 * 86_400).nanoseconds) }
}

/// Ticks that can be stopped.
public protocol DeviceTimer: Sendable {
  /// Stops the ticks. Once it returns none is running, and none will come.
  func stop()
}

/// The system's monotonic clock.
public struct RealClock: DeviceClock {
  /// The clock.
  public init() {}

  /// Nanoseconds since the system was started.
  public var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Ticks on a thread that sleeps in between. Late ones are made up for: a sound card does not lose time either. Where
  /// the system has no thread to give, nothing ticks.
  public func every(_ period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) -> any DeviceTimer {
    ThreadTimer(start: now, period: DevicePeriod.bounded(period), tick)
  }
}

/// A thread that calls a function once a period, at times fixed from the start, so that no drift adds up.
private final class ThreadTimer: DeviceTimer {
  private let isStopped = Atomic<Bool>(false)
  private let start: Int64
  private let period: Int64
  private let tick: @Sendable (Int64) -> Void
  private let thread = Lock<pthread_t?>(nil)

  init(start: Int64, period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) {
    self.start = start
    self.period = period
    self.tick = tick
    var thread = pthread_t()
    // The thread takes over the reference; without a thread it is released here.
    let box = unsafe Unmanaged.passRetained(self)
    let status = unsafe pthread_create(
      &thread, nil,
      { box in
        guard let box = unsafe box else { return nil }
        unsafe Unmanaged<ThreadTimer>.fromOpaque(box).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    // Without a thread nothing ticks: the caller sees a device that delivers nothing.
    if status == 0 { self.thread.withLock { $0 = thread } } else { unsafe box.release() }
  }

  private func run() {
    var next = start
    while sleep(until: next + period) {
      next += period
      tick(next)
    }
  }

  /// How long a stop waits for this thread at most, in nanoseconds.
  private static let nap: Int64 = 10_000_000

  /// - Returns: whether to go on.
  private func sleep(until end: Int64) -> Bool {
    var now = RealClock().now
    while now < end, !isStopped.load(ordering: .acquiring) {
      now = min(now + ThreadTimer.nap, end)
      var moment = timespec(tv_sec: Int(now / 1_000_000_000), tv_nsec: Int(now % 1_000_000_000))
      while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
    }
    return !isStopped.load(ordering: .acquiring)
  }

  func stop() {
    isStopped.store(true, ordering: .releasing)
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let thread else { return }
    // A tick that stops its own timer cannot wait for itself.
    if pthread_equal(thread, pthread_self()) != 0 { pthread_detach(thread) } else { pthread_join(thread, nil) }
  }
}

/// A clock that only advances when told to: hours of a device pass as fast as the work can be done.
public final class ManualClock: DeviceClock {
  private final class Timer: DeviceTimer {
    let period: Int64
    let next: Lock<Int64?>
    /// Held while it ticks.
    private let tick: Lock<@Sendable (Int64) -> Void>
    private let ticking = Lock<pthread_t?>(nil)

    init(next: Int64, period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) {
      self.next = Lock(next)
      self.period = period
      self.tick = Lock(tick)
    }

    /// Ticks, unless it was stopped meanwhile.
    func run(at time: Int64) {
      tick.withLock { tick in
        guard next.withLock({ $0 != nil }) else { return }
        ticking.withLock { $0 = pthread_self() }
        tick(time)
        ticking.withLock { $0 = nil }
      }
    }

    func stop() {
      next.withLock { $0 = nil }
      // A tick that stops its own timer cannot wait for itself.
      if let thread = ticking.withLock({ $0 }), pthread_equal(thread, pthread_self()) != 0 { return }
      tick.withLock { _ in }
    }
  }

  private struct State {
    var now: Int64 = 0
    var timers: [Timer] = []
  }
  private let state = Lock(State())

  /// A clock at 0.
  public init() {}

  /// Nanoseconds by which it was advanced in total.
  public var now: Int64 { state.withLock { $0.now } }

  /// Ticks on the thread that calls `advance(by:)`.
  public func every(_ period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) -> any DeviceTimer {
    state.withLock { state in
      let period = DevicePeriod.bounded(period)
      let timer = Timer(next: state.now + period, period: period, tick)
      state.timers.append(timer)
      return timer
    }
  }

  /// Timers not stopped yet: the number of devices that it still drives.
  package var runningTimers: Int {
    state.withLock { $0.timers.count { $0.next.withLock { $0 != nil } } }
  }

  /// Advances the time, by a year at most, and runs every tick that is due, in order.
  public func advance(by duration: Duration) {
    let end = now + duration.nanoseconds
    while true {
      let due = state.withLock { state -> (Timer, Int64)? in
        state.timers.removeAll { $0.next.withLock { $0 == nil } }
        let next = state.timers.compactMap { timer in timer.next.withLock { $0 }.map { (timer, $0) } }
          .min { $0.1 < $1.1 }
        guard let next, next.1 <= end else {
          state.now = end
          return nil
        }
        state.now = next.1
        next.0.next.withLock { $0? += next.0.period }
        return next
      }
      guard let due else { return }
      due.0.run(at: due.1)
    }
  }
}
