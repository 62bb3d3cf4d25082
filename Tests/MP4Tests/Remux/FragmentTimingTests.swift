import MP4
import MediaCore
import TestSupport
import Testing

/// Delays and ends that go from edit lists into the times of fragments.
@Suite(.inTurn)
struct FragmentTimingTests {
  /// What a fragmented movie says of a track: its edits (length and media time, or -1), and of each sample when it is
  /// decoded and how long it lasts.
  private struct Said: Equatable {
    var edits: [[Int64]]
    var samples: [[Int64]]
  }

  private static func said(_ track: Track, _ movie: MP4Demuxer) -> Said {
    Said(
      edits: track.edits.map { [$0.duration.value, $0.mediaTime?.value ?? -1] },
      samples: Delivery(movie.samples(of: track)).records.map { [$0.decodeTime, $0.duration] })
  }

  /// A track of three samples of 100 ticks of 1/1000 s, shown so many ticks after they are decoded, beside one without
  /// edits: in fragments, and then progressive again.
  private func remuxed(_ edits: [MadeTrack.Edit], offset: Int32 = 0) throws -> (fragments: Said, back: [[Int64]]) {
    var track = MadeTrack(id: 1, samples: [4, 4, 4], at: MovieMaker.mediaStart, delta: 100)
    track.edits = edits
    track.offsets = [.init(3, offset)]
    let other = MadeTrack(id: 2, samples: [4, 4, 4], at: MovieMaker.mediaStart + 12, delta: 100)
    let source = MovieMaker.progressive([track, other], media: [UInt8](repeating: 1, count: 24), timescale: 1000)
    let folder = try TemporaryFolder()
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentEdits = .times
    try Remuxer(from: try opened(source), to: folder.path("fragments.mp4"), options: options).run()
    let fragments = try MP4Demuxer(path: folder.path("fragments.mp4"))
    try Remuxer(from: fragments, to: folder.path("back.mp4")).run()
    let back = try MP4Demuxer(path: folder.path("back.mp4"))
    #expect(back.tracks[1].edits.isEmpty)
    return (Self.said(fragments.tracks[0], fragments), Self.said(back.tracks[0], back).edits)
  }

  @Test("a delay goes into the time of the first fragment, and comes back as an empty edit")
  func delay() throws {
    let (fragments, back) = try remuxed([.init(500, -1), .init(300, 0)])
    #expect(fragments == Said(edits: [], samples: [[500, 100], [600, 100], [700, 100]]))
    #expect(back == [[500, -1], [300, 0]])
  }

  @Test("a delay that would take times beyond 63 bits stays in the list, instead of being cut short")
  func endlessDelay() throws {
    let (fragments, back) = try remuxed([.init(UInt64(Int64.max) - 400, -1), .init(300, 0)])
    #expect(fragments == Said(edits: [[.max - 400, -1], [300, 0]], samples: [[0, 100], [100, 100], [200, 100]]))
    #expect(back == [[.max - 400, -1], [300, 0]])
  }

  @Test("an end inside the last sample goes into its duration, and comes back as the end of the edit")
  func end() throws {
    let (fragments, back) = try remuxed([.init(150, 100)])
    #expect(fragments == Said(edits: [[0, 100]], samples: [[0, 100], [100, 100], [200, 50]]))
    #expect(back == [[150, 100]])
  }

  @Test("priming that is cut off after a delay stays cut off, by a list that only repeats what the times say")
  func delayAndPriming() throws {
    let (fragments, back) = try remuxed([.init(300, -1), .init(150, 120)])
    // What is heard first, 120 ticks into the media, is at 300 on both clocks.
    #expect(fragments == Said(edits: [[300, -1], [0, 300]], samples: [[180, 100], [280, 100], [380, 70]]))
    #expect(back == [[300, -1], [150, 120]])
  }

  @Test("the lead of pictures out of order is part of a delay, or the delay a part of it")
  func delayAndLead() throws {
    let (fragments, back) = try remuxed([.init(500, -1), .init(300, 200)], offset: 200)
    // Shown at 300 + 200.
    #expect(fragments == Said(edits: [], samples: [[300, 100], [400, 100], [500, 100]]))
    // The same again: nothing is shown in the first 200 ticks of the media.
    #expect(back == [[500, -1], [300, 200]])
    // Shown at 200 - 150.
    let (short, again) = try remuxed([.init(50, -1), .init(300, 200)], offset: 200)
    #expect(short == Said(edits: [[0, 150]], samples: [[0, 100], [100, 100], [200, 100]]))
    #expect(again == [[350, 150]])
  }

  @Test("what times cannot say stays in the list: several stretches, other speeds, an end before the last sample")
  func keepsOtherLists() throws {
    for edits in [[MadeTrack.Edit(100, 200), .init(200, 0)], [.init(300, 0, rate: 0x8000)]] {
      let (fragments, back) = try remuxed(edits)
      let list = edits.map { [Int64($0.duration), $0.mediaTime] }
      #expect(fragments == Said(edits: list, samples: [[0, 100], [100, 100], [200, 100]]))
      #expect(back == list)
    }
    let (early, back) = try remuxed([.init(500, -1), .init(120, 0)])
    #expect(early == Said(edits: [[620, 0]], samples: [[500, 100], [600, 100], [700, 100]]))
    #expect(back == [[500, -1], [120, 0]])
  }
}
