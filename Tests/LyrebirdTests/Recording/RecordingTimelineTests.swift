import TestSupport
import Testing

@testable import Lyrebird

/// Where captured sound lies in a recording: gaps stay, pauses go.
@Suite(.inTurn)
struct RecordingTimelineTests {
  private static let rate = 1000

  /// So many frames at a time of the capture.
  private func sample(at frame: Int64, count: Int) -> PCMSample {
    PCMSample(PCMBuffer((0..<count).map { Int16($0) }, sampleRate: Self.rate, layout: .mono), at: frame)
  }

  /// Where samples of the capture come to lie: start and length. Of the device, a frame takes a millisecond.
  private func placed(_ samples: PCMSample..., pauses: [(Bool, Int64)] = []) -> [[Int64]] {
    var timeline = RecordingTimeline()
    for (isPaused, milliseconds) in pauses { timeline.setPaused(isPaused, at: milliseconds * 1_000_000) }
    return samples.flatMap { sample in
      timeline.place(sample, hostTime: sample.timing.presentationTime * 1_000_000)
        .map { [$0.timing.presentationTime, $0.timing.duration] }
    }
  }

  @Test("without pauses times stay as they are, gaps included")
  func gaps() {
    #expect(placed(sample(at: 0, count: 100), sample(at: 100, count: 50)) == [[0, 100], [100, 50]])
    #expect(placed(sample(at: 20, count: 100), sample(at: 500, count: 50)) == [[20, 100], [500, 50]])
  }

  @Test("what is heard in a pause takes no time")
  func pause() {
    let parts = placed(
      sample(at: 0, count: 100), sample(at: 100, count: 100), sample(at: 200, count: 100),
      pauses: [(true, 30), (false, 40), (true, 90), (false, 150)])
    #expect(parts == [[0, 30], [30, 50], [80, 50], [130, 100]])
  }

  @Test("of a gap what lies in a pause goes, and the rest stays")
  func gapInPause() {
    let parts = placed(
      sample(at: 0, count: 100), sample(at: 200, count: 100), pauses: [(true, 140), (false, 180)])
    #expect(parts == [[0, 100], [160, 100]])
    let all = placed(sample(at: 0, count: 100), sample(at: 200, count: 100), pauses: [(true, 100), (false, 200)])
    #expect(all == [[0, 100], [100, 100]])
  }

  @Test("where a gap is all that is heard of a sample, an empty one tells how long it is")
  func onlyGap() {
    let parts = placed(
      sample(at: 0, count: 100), sample(at: 200, count: 100), sample(at: 300, count: 10),
      pauses: [(true, 150), (false, 300)])
    #expect(parts == [[0, 100], [150, 0], [150, 10]])
    #expect(placed(sample(at: 0, count: 100), pauses: [(true, -5)]) == [])
  }

  @Test("times at the ends of what can be counted do not overflow")
  func extremes() {
    var timeline = RecordingTimeline()
    timeline.setPaused(true, at: .max)
    for time in [.max, .min, 0] as [Int64] {
      for frame in [.max, .min, 0] as [Int64] {
        _ = timeline.place(sample(at: frame, count: 3), hostTime: time)
      }
    }
  }
}
