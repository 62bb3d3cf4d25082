import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioIO

/// Clocks, and times made out of them.
@Suite(.inTurn) struct ClockTests {
  @Test("a manual clock ticks when it is advanced, in order, and not after a stop")
  func manual() {
    let clock = ManualClock()
    let ticks = Mutex<[Int64]>([])
    let fast = clock.every(10) { time in ticks.withLock { $0.append(time) } }
    let slow = clock.every(25) { time in ticks.withLock { $0.append(-time) } }
    clock.advance(by: .nanoseconds(30))
    #expect(ticks.withLock { $0 } == [10, 20, -25, 30])
    fast.stop()
    clock.advance(by: .nanoseconds(30))
    #expect(ticks.withLock { $0 } == [10, 20, -25, 30, -50])
    #expect(clock.now == 60)
    slow.stop()
  }

  @Test("a stop waits for a tick that is running on another thread, and none comes after it")
  func stoppedWhileTicking() {
    let clock = ManualClock()
    let (began, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let log = Mutex<[String]>([])
    let timer = clock.every(10) { _ in
      began.signal()
      usleep(100_000)
      log.withLock { $0.append("ticked") }
    }
    Thread.detachNewThread {
      clock.advance(by: .nanoseconds(30))
      isOver.signal()
    }
    began.wait()
    timer.stop()
    log.withLock { $0.append("stopped") }
    isOver.wait()
    #expect(log.withLock { $0 } == ["ticked", "stopped"])
  }

  @Test("a tick may stop its own timer", .timeLimit(.minutes(1)))
  func stoppedByItself() {
    let clock = ManualClock()
    let timer = Mutex<(any DeviceTimer)?>(nil)
    let ticks = Mutex(0)
    let made = clock.every(10) { _ in
      ticks.withLock { $0 += 1 }
      timer.withLock { $0 }?.stop()
    }
    timer.withLock { $0 = made }
    clock.advance(by: .nanoseconds(100))
    #expect(ticks.withLock { $0 } == 1)
  }

  @Test("periods and times without end are taken as a year, by each clock")
  func endless() {
    let manual = ManualClock()
    let ticks = Mutex<[Int64]>([])
    let timer = manual.every(.max) { time in ticks.withLock { $0.append(time) } }
    for _ in 0..<3 { manual.advance(by: .seconds(Int64.max)) }
    let year: Int64 = 366 * 86_400 * 1_000_000_000
    #expect(ticks.withLock { $0 } == [year, 2 * year, 3 * year] && manual.now == 3 * year)
    timer.stop()
  }

  @Test("times of buffers never go back, lose their jitter, and follow a device that runs 100 ppm fast, for six hours")
  func filter() {
    var filter = TimestampFilter(sampleRate: 48_000)
    var noise = Noise(seed: 3)
    var last = Int64.min
    var worst: Int64 = 0
    var isMonotonic = true
    let frames = 480
    for index in 0..<(6 * 3600 * 100) {
      // The device makes 48 004.8 frames in a second of ours.
      let exact = Int64(Double(index * frames) / 48_004.8 * 1e9)
      let time = filter.time(measured: exact + Int64.random(in: 0...5_000_000, using: &noise), frames: frames)
      isMonotonic = isMonotonic && time > last
      if index > 1000 { worst = max(worst, abs(time - exact)) }
      last = time
    }
    #expect(isMonotonic)
    // The jitter's mean is 2.5 ms; a packet of 1024 frames is 21 ms.
    #expect(worst < 4_000_000, "\(worst) ns")
  }

  @Test("after a long interruption times are believed at once, and still never go back")
  func jump() {
    var filter = TimestampFilter(sampleRate: 1000)
    #expect(filter.time(measured: 0, frames: 10) == 0)
    #expect(filter.time(measured: 60_000_000_000, frames: 10) == 60_000_000_000)
    #expect(filter.time(measured: 1, frames: 10) >= 60_000_000_000)
  }
}
