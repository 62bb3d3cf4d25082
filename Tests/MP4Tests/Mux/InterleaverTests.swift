import MediaCore
import TestSupport
import Testing

@testable import MP4

/// The order of samples, without a file.
@Suite(.inTurn) struct InterleaverTests {
  private func sample(_ time: Int64, timescale: UInt32 = 10, duration: Int64 = 7, bytes: Int = 1) -> EncodedSample {
    EncodedSample(
      trackID: 1,
      timing: SampleTiming(decodeTime: time, presentationTime: time, duration: duration, timescale: timescale),
      isSync: true, payload: .bytes(Array(repeating: 0, count: bytes)[...]))
  }

  private func all(_ interleaver: inout Interleaver, force: Bool = false) -> [String] {
    var found: [String] = []
    while let (track, sample) = interleaver.next(force: force) {
      found.append("\(track):\(sample.timing.decodeTime)+\(sample.timing.duration)")
    }
    return found
  }

  @Test("nothing comes out before every open track has a sample, and the first in line knows how long it lasts")
  func waits() {
    var interleaver = Interleaver(trackCount: 2)
    interleaver.add(sample(0), to: 0)
    interleaver.add(sample(5), to: 0)
    #expect(all(&interleaver) == [])
    interleaver.add(sample(3), to: 1)
    #expect(all(&interleaver) == ["0:0+5"])
    interleaver.add(sample(9), to: 1)
    #expect(all(&interleaver) == ["1:3+6"])
    interleaver.end(0)
    #expect(all(&interleaver) == ["0:5+7"])
    interleaver.end(1)
    #expect(all(&interleaver) == ["1:9+7"])
    #expect(interleaver.heldBytes == 0)
  }

  @Test("times of different timescales are compared as times; where they are equal the earlier track comes first")
  func comparesTimes() {
    var interleaver = Interleaver(trackCount: 3)
    interleaver.add(sample(1, timescale: 3), to: 0)
    interleaver.add(sample(10_000, timescale: 30_000), to: 1)
    interleaver.add(sample(9_999, timescale: 30_000), to: 1)
    interleaver.add(sample(0, timescale: 1), to: 2)
    for track in 0..<3 { interleaver.end(track) }
    #expect(all(&interleaver) == ["2:0+7", "0:1+7", "1:10000+7", "1:9999+7"])
  }

  @Test("a track that ends without a sample keeps nobody waiting, and force waits for nobody")
  func emptyTracks() {
    var interleaver = Interleaver(trackCount: 2)
    interleaver.add(sample(4), to: 0)
    interleaver.add(sample(6), to: 0)
    #expect(all(&interleaver) == [])
    interleaver.end(1)
    #expect(all(&interleaver) == ["0:4+2"])
    #expect(all(&interleaver, force: true) == ["0:6+7"])
    interleaver.add(sample(8), to: 0)
    interleaver.end(0)
    #expect(all(&interleaver) == ["0:8+7"])
    interleaver.end(0)
    #expect(all(&interleaver) == [])
  }

  @Test("whatever order tracks are fed in, out come the same samples in the same order", arguments: 0..<20)
  func anyOrder(seed: UInt64) {
    var noise = Noise(seed: seed)
    let timescales: [UInt32] = [25, 44100, 1000]
    let times: [[Int64]] = [(0..<200).map { $0 }, (0..<350).map { $0 * 1024 - 2048 }, (0..<5).map { $0 * 900 }]
    var interleaver = Interleaver(trackCount: timescales.count)
    var next = [0, 0, 0]
    var found: [MediaTime] = []
    var counts = [0, 0, 0]
    while let track = (0..<3).filter({ next[$0] < times[$0].count }).randomElement(using: &noise) {
      interleaver.add(sample(times[track][next[track]], timescale: timescales[track]), to: track)
      next[track] += 1
      if next[track] == times[track].count { interleaver.end(track) }
      while let (track, sample) = interleaver.next() {
        found.append(MediaTime(value: sample.timing.decodeTime, timescale: timescales[track]))
        #expect(sample.timing.decodeTime == times[track][counts[track]])
        counts[track] += 1
      }
    }
    #expect(counts == times.map(\.count))
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 <= $1 })
  }
}
