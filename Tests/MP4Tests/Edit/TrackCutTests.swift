import MediaCore
import TestSupport
import Testing

@testable import MP4

@Suite("What a cut needs of a track", .inTurn)
struct TrackCutTests {
  @Test("sound that begins late still does where a tag, or the encoder's name, tells of its priming")
  func delayedPriming() throws {
    var made = MadeTrack(samples: [UInt32](repeating: 1, count: 10), at: MovieMaker.mediaStart, delta: 1024)
    (made.handler, made.entries, made.timescale) = ("soun", [MadeEntry.audio("mp4a")], 48_000)
    // Half a second: the movie has 600 ticks a second.
    made.edits = [.init(300, -1), .init(0, 0)]
    let bytes = MovieMaker.progressive([made], media: [UInt8](repeating: 0, count: 10))
    let movie = try MP4Demuxer(source: MemorySource(bytes, name: "made"))
    let track = try #require(movie.movieTracks.first)
    let end = MediaTime(value: 26_000, timescale: 48_000)
    let edits = try TrackCut(track, heard: 1024..<9000, in: MovieClip(movie, from: .zero, to: end, priming: [:])).edits
    #expect(edits.map(\.mediaTime?.value) == [nil, 1024])
    #expect(edits.map { $0.duration.converted(to: 48_000)?.value } == [24_000, 2000])
  }

  @Test("what is shown from the start is shown from its first tick, however short ticks are")
  func shortTicks() throws {
    var made = MadeTrack(samples: [1, 1, 1], at: MovieMaker.mediaStart, delta: 417_083)
    made.timescale = 10_000_000
    made.edits = [.init(0, 834_167)]
    let bytes = MovieMaker.progressive([made], media: [0, 0, 0])
    let movie = try MP4Demuxer(source: MemorySource(bytes, name: "made"))
    let end = MediaTime(value: 200_000, timescale: 10_000_000)
    let cut = try TrackCut(
      try #require(movie.movieTracks.first), in: MovieClip(movie, from: .zero, to: end, priming: [:]))
    #expect(cut.edits.map(\.mediaTime?.value) == [834_167])
  }

  private func cut(
    _ made: MadeTrack, _ from: Int64, _ to: Int64, timesIn timescale: UInt32 = 1000, movieTimescale: UInt32? = nil
  ) throws -> TrackCut {
    let count = if case .each(let sizes) = made.sizes { sizes.count } else { 0 }
    let bytes = MovieMaker.progressive([made], media: [UInt8](repeating: 0, count: count))
    let movie = try MP4Demuxer(source: MemorySource(bytes, name: "made"))
    let (from, to) = (MediaTime(value: from, timescale: timescale), MediaTime(value: to, timescale: timescale))
    let clip = MovieClip(movie, from: from, to: to, priming: [:])
    return try TrackCut(try #require(movie.movieTracks.first), in: clip, movieTimescale: movieTimescale)
  }

  @Test("edits of pictures with coarse ticks do not add up to more than those of sound")
  func manyEdits() throws {
    var made = MadeTrack(samples: [UInt32](repeating: 1, count: 300), at: MovieMaker.mediaStart, delta: 1)
    made.timescale = 25
    // 1.01 seconds each: the movie has 600 ticks a second.
    made.edits = (0..<9).map { .init(606, $0 * 25) }
    let cut = try cut(made, 500, 9000)
    let length = cut.edits.reduce(MediaTime.zero) { $0 + $1.duration }
    #expect(abs(length.seconds - 8.5) <= 0.04)
  }

  /// Of 25 pictures a second in ticks of 1/12 800 s, 1.2345 s are 15 801.6 ticks.
  @Test("pictures are shown as long as the stretch lasts, and the last of them at least for a tick")
  func exactEnd() throws {
    var made = MadeTrack(samples: [UInt32](repeating: 1, count: 100), at: MovieMaker.mediaStart, delta: 512)
    made.timescale = 12_800
    made.offsets = [.init(100, 0)]
    for (from, to, frames) in [(0, 12_345, 59_256), (12_345, 24_690, 59_256), (0, 12_000, 57_600)] {
      let cut = try cut(made, Int64(from), Int64(to), timesIn: 10_000, movieTimescale: 48_000)
      #expect(cut.edits.map { $0.duration } == [MediaTime(value: Int64(frames), timescale: 48_000)])
    }
    (made.timescale, made.times) = (25, [.init(100, 1)])
    let cut = try cut(made, 0, 1210, movieTimescale: 48_000)
    #expect(cut.edits.map(\.duration.seconds) == [1.24])
  }

  @Test("an edit at twice the rate needs twice the media, from twice as far")
  func doubleRate() throws {
    var made = MadeTrack(samples: [UInt32](repeating: 1, count: 300), at: MovieMaker.mediaStart, delta: 1)
    made.timescale = 25
    made.edits = [.init(600 * 6, 0, rate: 0x20000)]
    let cut = try cut(made, 2000, 4000)
    #expect(cut.edits.map(\.mediaTime?.value) == [100])
    #expect(cut.samples == 100..<200)
  }

  @Test("nothing before the first picture is an empty edit, with an edit list or without")
  func lead() throws {
    for edits in [nil, [MadeTrack.Edit(600, 0)]] {
      var made = MadeTrack(samples: [UInt32](repeating: 1, count: 10), at: MovieMaker.mediaStart, delta: 100)
      (made.offsets, made.edits) = ([.init(10, 200)], edits)
      let cut = try cut(made, 0, 900)
      #expect(cut.edits.map(\.mediaTime?.value) == [nil, 200])
      #expect(cut.edits.map(\.duration.seconds) == [0.2, 0.7])
    }
  }

  @Test("frames of sound that begins late are counted from its beginning to its end")
  func delayedFrames() throws {
    var made = MadeTrack(samples: [UInt32](repeating: 1, count: 10), at: MovieMaker.mediaStart, delta: 1024)
    (made.handler, made.entries, made.timescale) = ("soun", [MadeEntry.audio("mp4a")], 48_000)
    made.edits = [.init(300, -1), .init(128, 0)]
    let movie = try opened(MovieMaker.progressive([made], media: [UInt8](repeating: 0, count: 10)))
    let rate = try #require(movie.tracks[0].audioFormat).sampleRate
    // The movie has 600 ticks a second: half a second of nothing, and 128 ticks of sound.
    let count = UInt64(rate) * 128 / 600
    #expect(try movie.presentationTime(ofFrame: 0, in: movie.tracks[0])?.seconds == 0.5)
    #expect(try movie.presentationTime(ofFrame: count - 1, in: movie.tracks[0]) != nil)
    #expect(try movie.presentationTime(ofFrame: count + 1, in: movie.tracks[0]) == nil)
  }

  @Test("a sample of TTML keeps its time, which its document refers to; another text begins where the cut does")
  func textTimes() throws {
    for (entry, time) in [("stpp", 0), ("tx3g", 300)] as [(String, Int64)] {
      var made = MadeTrack(samples: [1, 1], at: MovieMaker.mediaStart, delta: 500)
      (made.handler, made.entries) = ("subt", [MadeEntry.video(entry)])
      let cut = try cut(made, 300, 900)
      let record = SampleRecord(
        number: 0, offset: 0, size: 1, decodeTime: 0, presentationTime: 0, duration: 500, isSync: true,
        descriptionIndex: 0)
      #expect(cut.kept(record)?.presentationTime == time, "\(entry)")
    }
  }
}
