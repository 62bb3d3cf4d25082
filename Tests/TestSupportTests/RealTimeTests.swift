import Foundation
import Testing

@testable import TestSupport

/// Which measurements count where timing is strict.
@Suite(.inTurn) struct RealTimeTests {
  /// Measures bodies that give their number, stall for so many milliseconds in turn, and are good at one number.
  private func measure(stalls: [Int], good: Int, isStrict: Bool = true) -> (result: Int, verdict: RealTime.Verdict) {
    var number = 0
    return RealTime.measure(stall: .milliseconds(10), isStrict: isStrict) {
      number += 1
      return (number, number == good, .milliseconds(stalls[(number - 1) % stalls.count]))
    }
  }

  @Test("what is never good is bad after three measurements on a machine that was there")
  func bad() {
    #expect(measure(stalls: [2], good: 0) == (3, .bad))
    #expect(measure(stalls: [2], good: 3) == (3, .good))
    #expect(measure(stalls: [2], good: 4) == (3, .bad))
  }

  @Test("a measurement during which the machine stood still does not count, and twelve of them are enough")
  func stalled() {
    #expect(measure(stalls: [50], good: 7) == (7, .good))
    #expect(measure(stalls: [50], good: 0) == (12, .excused))
    #expect(measure(stalls: [50, 2], good: 0) == (6, .bad))
  }

  @Test("where timing is not strict, three are enough and prove nothing")
  func lenient() {
    #expect(measure(stalls: [2], good: 0, isStrict: false) == (3, .excused))
    #expect(measure(stalls: [50], good: 2, isStrict: false) == (2, .good))
  }

  @Test("a watch looks at every processor, and leaves no thread behind")
  func watch() {
    let watch = StallWatch()
    #expect(watch.threads == ProcessInfo.processInfo.activeProcessorCount)
    // No sleep is as short as it should be.
    #expect(waitUntil { watch.longest > .zero })
    watch.end()
    #expect(watch.threads == 0)
  }
}
