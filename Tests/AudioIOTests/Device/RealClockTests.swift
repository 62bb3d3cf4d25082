import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AudioIO

/// The system's clock, and what ticks by it.
@Suite(.alone) struct RealClockTests {
  @Test("a real clock ticks at every moment that it should, none left out, none too early, and stops at once")
  func ticks() {
    let (late, verdict) = RealTime.measure("median of how late a clock ticks, in ns", lateness) { $0 < 2_000_000 }
    // How late it is depends on the machine, which may have other things to do.
    #expect(verdict == .good || (verdict == .excused && late < 500_000_000), "\(late) ns")
  }

  /// The median of how late a hundred ticks come, in nanoseconds.
  private func lateness() -> Int64 {
    let clock = RealClock()
    let period: Int64 = 2_000_000
    let times = Lock<[(due: Int64, now: Int64)]>([])
    let timer = clock.every(period) { due in times.withLock { $0.append((due, clock.now)) } }
    #expect(waitUntil { times.withLock { $0.count } >= 100 })
    timer.stop()
    let seen = times.withLock { $0 }
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $1.due == $0.due + period })
    #expect(seen.allSatisfy { $0.now >= $0.due })
    usleep(10_000)
    #expect(times.withLock { $0.count } == seen.count)
    return seen.map { $0.now - $0.due }.sorted()[50]
  }

  @Test("a timer that ticks once a minute can be stopped at once")
  func stopsEarly() {
    let (clock, ticks) = (RealClock(), Lock(0))
    let start = clock.now
    let timer = clock.every(60_000_000_000) { _ in ticks.withLock { $0 += 1 } }
    timer.stop()
    #expect(clock.now - start < 30_000_000_000)
    #expect(ticks.withLock { $0 } == 0)
  }

  @Test("a thousand starts and stops leave no thread behind")
  func cycles() throws {
    let threads = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
    let before = try threads()
    for _ in 0..<1000 {
      let capture = try AudioCapture(device: DeviceName("tone:440"), options: AudioOptions(buffer: .milliseconds(2)))
      try capture.start()
      capture.stop()
      capture.stop()
    }
    // Swift's own threads come and go.
    #expect(try threads() < before + 10)
  }
}
