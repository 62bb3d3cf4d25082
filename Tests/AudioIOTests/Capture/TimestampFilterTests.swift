import TestSupport
import Testing

@testable import AudioIO

/// When the frames of a device were heard.
@Suite(.inTurn) struct TimestampFilterTests {
  @Test("jitter is smoothed, and times never go back")
  func jitter() {
    var (filter, noise, last) = (TimestampFilter(sampleRate: 48_000), Noise(seed: 4), Int64.min)
    for buffer in 0..<500 {
      let exact = Int64(buffer) * 10_000_000
      let time = filter.time(measured: exact + Int64.random(in: 0...5_000_000, using: &noise), frames: 480)
      #expect(time > last)
      if buffer > 300 { #expect(abs(time - exact - 2_500_000) < 1_500_000) }
      last = time
    }
  }

  @Test("frames that the device lost are counted in the time of the next buffer")
  func lost() {
    var filter = TimestampFilter(sampleRate: 48_000)
    #expect(filter.time(measured: 0, frames: 480) == 0)
    filter.skip(frames: 4800)
    #expect(filter.time(measured: 110_000_000, frames: 480) == 110_000_000)
  }
}
