import TestSupport
import Testing

@testable import Lyrebird

/// Which frames a pause leaves out.
@Suite(.inTurn)
struct PauseTimesTests {
  /// Frames kept of a second at 1000 Hz that begins at 10 s.
  private func kept(_ changes: (Bool, Int64)...) -> [Range<Int>] {
    var times = PauseTimes()
    for (isPaused, milliseconds) in changes { times.set(isPaused, at: milliseconds * 1_000_000) }
    return times.kept(of: 1000, from: 10_000_000_000, sampleRate: 1000)
  }

  @Test("a pause leaves out the frames that were heard during it, to the frame")
  func ranges() {
    #expect(kept() == [0..<1000])
    #expect(kept((true, 10_250)) == [0..<250])
    #expect(kept((true, 9000)) == [])
    #expect(kept((true, 9000), (false, 10_100)) == [100..<1000])
    #expect(kept((true, 10_100), (false, 10_200), (true, 10_300), (false, 10_301)) == [0..<100, 200..<300, 301..<1000])
    #expect(kept((true, 10_100), (false, 12_000)) == [0..<100])
    #expect(kept((true, 11_000)) == [0..<1000])
    #expect(kept((true, 8000), (false, 9000)) == [0..<1000])
  }

  @Test("pausing twice is one pause, and going on without one is none")
  func repeated() {
    #expect(kept((true, 10_100), (true, 10_500), (false, 10_600), (false, 10_700)) == [0..<100, 600..<1000])
    #expect(kept((false, 10_100)) == [0..<1000])
  }

  @Test("times at the ends of what can be counted are taken as they are")
  func extremes() {
    var times = PauseTimes()
    times.set(true, at: .min)
    times.set(false, at: .max)
    #expect(times.kept(of: 100, from: 0, sampleRate: 48_000) == [])
    #expect(times.kept(of: .max, from: .max, sampleRate: 48_000) == [0..<Int.max])
  }
}
