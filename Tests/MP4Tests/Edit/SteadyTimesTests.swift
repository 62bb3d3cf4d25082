import MediaCore
import TestSupport
import Testing

@testable import MP4

@Suite("Times of runs", .inTurn)
struct SteadyTimesTests {
  /// A track of samples of a byte each, with durations in runs.
  private func track(_ runs: [MadeTrack.Times], count: Int, _ change: (inout MadeTrack) -> Void = { _ in }) throws
    -> MovieTrack
  {
    var made = MadeTrack(samples: [UInt32](repeating: 1, count: count), at: MovieMaker.mediaStart)
    made.times = runs
    change(&made)
    let bytes = MovieMaker.progressive([made], media: [UInt8](repeating: 0, count: count))
    return try #require(try MP4Demuxer(source: MemorySource(bytes, name: "made")).movieTracks.first)
  }

  @Test("as many samples begin before a time as a walk through them finds")
  func walk() throws {
    var noise = Noise(seed: 3)
    for _ in 0..<200 {
      let runs = (0..<Int.random(in: 1...5, using: &noise)).map { _ in
        MadeTrack.Times(.random(in: 0...7, using: &noise), [0, 1, 3, 1024].randomElement(using: &noise) ?? 0)
      }
      // Also fewer and more samples than the runs are for.
      let count = Int.random(in: 1...20, using: &noise)
      let track = try track(runs, count: count)
      let times = try #require(try SteadyTimes(track.index.table))
      var records: [SampleRecord] = []
      var samples = track.samples()
      while let record = try samples.nextRecord() { records.append(record) }
      for limit in [-1, 0, 1, 2, 3, 1024, 1025, 2500, Int64.max] {
        let found = try #require(try times.samples(before: limit))
        let begun = records.prefix { $0.presentationTime < limit }
        #expect(found.count == begun.count && found.lastStart == begun.last?.decodeTime ?? 0)
        #expect(found.end == begun.last.map { $0.decodeTime + $0.duration } ?? 0, "\(runs) \(limit)")
      }
    }
  }

  @Test("times that step back, pictures that are not all sync samples or wait to be shown are walked through instead")
  func unsteady() throws {
    let runs = [MadeTrack.Times(3, 10)]
    let back = try SteadyTimes(try track([.init(2, 10), .init(2, UInt32(bitPattern: -5))], count: 4).index.table)
    #expect(try back?.samples(before: 100) == nil)
    #expect(try SteadyTimes(try track(runs, count: 3) { $0.syncSamples = [1] }.index.table) == nil)
    #expect(try SteadyTimes(try track(runs, count: 3) { $0.offsets = [.init(3, 1)] }.index.table) == nil)
  }
}
