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
}
