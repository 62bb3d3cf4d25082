import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Remuxing of movies made to order, in ways that real ones seldom are.
@Suite(.inTurn) struct RemuxerTests {
  private let folder: TemporaryFolder
  private let output: String

  init() throws {
    folder = try TemporaryFolder()
    output = folder.path("out.mp4")
  }

  private func remux(_ bytes: [UInt8], _ layout: MovieLayout) throws -> (Remuxer.Summary, MP4Demuxer) {
    var options = Remuxer.Options()
    options.layout = layout
    let summary = try Remuxer(from: try opened(bytes), to: output, options: options).run()
    return (summary, try MP4Demuxer(path: output))
  }

  /// A movie of samples that are all the same bytes.
  private static func shared(_ count: Int, bytes: Int) -> [UInt8] {
    var track = MadeTrack(samples: [UInt32](repeating: UInt32(bytes), count: count), at: 0)
    track.chunks = [.init(1, 1)]
    track.places = [UInt64](repeating: MovieMaker.mediaStart, count: count)
    return MovieMaker.progressive([track], media: [UInt8](repeating: 0x5A, count: bytes))
  }

  @Test("samples that share bytes may do so, until they add up to what no real movie of the size has")
  func boundsSharedBytes() throws {
    let size = 100_000
    // Four times the file, and 16 MiB.
    let (_, movie) = try remux(Self.shared(170, bytes: size), .fragmented)
    #expect(try movie.byteCount(of: movie.tracks[0]) == UInt64(170 * size))
    try FileManager.default.removeItem(atPath: output)
    let error = #expect(throws: MP4Error.self) { try remux(Self.shared(180, bytes: size), .fragmented) }
    guard case .overlappingSamples(let limit)? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(limit > 16 << 20 && limit < 18 << 20)
    #expect(!FileManager.default.fileExists(atPath: output))
    // One index can say that samples share bytes: nothing grows.
    let (summary, progressive) = try remux(Self.shared(5000, bytes: size), .fastStart)
    #expect(summary.bytes < 200_000)
    #expect(try progressive.byteCount(of: progressive.tracks[0]) == UInt64(5000 * size))
  }

  /// A fragmented movie of one track: for each fragment a time, and the sizes of its samples, each 100 ticks long.
  private static func fragmented(_ fragments: [(time: UInt64, sizes: [UInt32])]) -> [UInt8] {
    var bytes = MovieMaker.fileType + MovieMaker.moov([MadeTrack()], defaults: [.init(1, duration: 100)])
    for (time, sizes) in fragments {
      let samples = sizes.map { MadeRun.Sample(size: $0) }
      func moof(_ offset: Int32) -> [UInt8] {
        var fragment = MadeFragment(time: time, runs: [MadeRun(dataOffset: offset, fields: 0x200, samples: samples)])
        fragment.isBaseMoof = true
        return MadeFragment.moof([fragment])
      }
      let size = moof(0).count
      bytes +=
        moof(Int32(size + 8)) + Plain.box("mdat", sizes.flatMap { [UInt8](repeating: UInt8($0), count: Int($0)) })
    }
    return bytes
  }

  private func times(_ movie: MP4Demuxer) -> (decoding: [Int64], showing: [Int64]) {
    let found = Delivery(movie.samples(of: movie.tracks[0])).records
    return (found.map(\.decodeTime), found.map(\.presentationTime))
  }

  @Test("a gap of more than 31 bits is spread over the samples that follow, which are shown when they were")
  func spreadsLongGaps() throws {
    let far: Int64 = 3_000_000_000
    let source = Self.fragmented([(0, [1, 2]), (UInt64(far), [3, 4, 5])])
    let (summary, movie) = try remux(source, .fastStart)
    let longest = Int64(Int32.max)
    let (decoding, showing) = times(movie)
    #expect(decoding == [0, 100, 100 + longest, far + 100, far + 200])
    #expect(showing == [0, 100, far, far + 100, far + 200])
    #expect(summary.retimed.map(\.decodedAtAnotherTime) == [1])
    #expect(summary.retimed.map(\.shownAtAnotherTime) == [0])
    #expect(summary.retimed.first?.description.contains("track 1: 1 sample is decoded") == true)
    // Fragments can say it as it is.
    let (plain, copy) = try remux(source, .fragmented)
    #expect(plain.retimed.isEmpty)
    #expect(times(copy).decoding == [0, 100, far, far + 100, far + 200])
  }

  @Test("after a short step back samples follow without a pause until time has caught up")
  func catchesUp() throws {
    let (summary, movie) = try remux(Self.fragmented([(0, [1, 2, 3]), (150, [4, 5, 6])]), .moovLast)
    let (decoding, showing) = times(movie)
    #expect(decoding == [0, 100, 200, 200, 250, 350])
    #expect(showing == [0, 100, 200, 150, 250, 350])
    #expect(summary.retimed.map(\.decodedAtAnotherTime) == [1])
    #expect(summary.retimed.map(\.shownAtAnotherTime) == [0])
  }

  @Test("a stream that starts over goes on from where it was")
  func startsOver() throws {
    // The timescale is 1000.
    let (summary, movie) = try remux(Self.fragmented([(5000, [1, 2]), (0, [3, 4])]), .fastStart)
    let (decoding, showing) = times(movie)
    #expect(decoding == [0, 100, 200, 300])
    #expect(showing == decoding)
    #expect(summary.retimed.map(\.decodedAtAnotherTime) == [2])
    #expect(summary.retimed.map(\.shownAtAnotherTime) == [2])
  }

  @Test("times before 0, which a fragment cannot say, are counted")
  func countsTimesBeforeZero() throws {
    var track = MadeTrack(samples: [4, 5, 6], at: MovieMaker.mediaStart)
    track.times = [.init(1, UInt32(bitPattern: -50)), .init(2, 100)]
    let (summary, movie) = try remux(
      MovieMaker.progressive([track], media: [UInt8](repeating: 7, count: 20)), .fragmented)
    #expect(times(movie).decoding == [0, 0, 50])
    #expect(summary.retimed.map(\.decodedAtAnotherTime) == [1])
  }

  @Test("samples of different descriptions do not share a fragment, which has one for all")
  func separatesDescriptions() throws {
    var track = MadeTrack(samples: [4, 5, 6], at: MovieMaker.mediaStart)
    track.entries = [MadeEntry.video("avc1"), MadeEntry.video("hvc1")]
    track.chunks = [.init(1, 1, 1), .init(2, 1, 2), .init(3, 1, 1)]
    track.places = [0, 4, 9].map { MovieMaker.mediaStart + $0 }
    let (_, movie) = try remux(MovieMaker.progressive([track], media: [UInt8](repeating: 7, count: 20)), .fragmented)
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.map(\.descriptionIndex) == [0, 1, 0])
  }

  @Test(
    "tracks stay side by side in a fragment, with a run for each piece, unless the pieces are small",
    arguments: [40, 6000])
  func keepsSourceOrder(size: UInt32) throws {
    var noise = Noise(seed: 9)
    let media = noise.bytes(Int(size) * 24)
    let tracks = (0..<2).map { number in
      var track = MadeTrack(id: UInt32(number + 1), samples: [UInt32](repeating: size, count: 12), at: 0)
      track.chunks = [.init(1, 2)]
      track.places = (0..<6).map { MovieMaker.mediaStart + UInt64(size) * UInt64($0 * 4 + number * 2) }
      track.syncSamples = [1, 7]
      track.offsets = [.init(5, 0), .init(7, 40)]
      return track
    }
    let source = try opened(MovieMaker.progressive(tracks, media: media))
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentDuration = 0.2
    try Remuxer(from: source, to: output, options: options).run()
    // Two fragments of two tracks, and in each track three pieces of two samples.
    #expect(try boxes(["traf"]).count == 4)
    #expect(try boxes(["trun"]).count == (size < 4096 ? 4 : 12))
    let copy = try MP4Demuxer(path: output)
    for (old, new) in zip(source.tracks, copy.tracks) {
      var (left, right) = (source.samples(of: old), copy.samples(of: new))
      while let sample = try left.next() {
        let twin = try #require(try right.next())
        #expect(sample.timing == twin.timing && sample.isSync == twin.isSync)
        #expect(try sample.payload.load() == twin.payload.load())
      }
      #expect(try right.next() == nil)
    }
  }

  // MARK: What is said of samples beside their index

  /// Six samples in groups, with parts and with dependencies.
  private static var annotated: (track: MadeTrack, tables: [[UInt8]]) {
    var track = MadeTrack(samples: [4, 5, 6, 7, 8, 9], at: MovieMaker.mediaStart)
    track.syncSamples = [1, 4]
    let tables = [
      Plain.fullBox("sdtp", [0x24, 0x18, 0x18, 0x24, 0x18, 0x18]),
      Plain.fullBox(
        "sgpd", version: 1, Plain.type("roll"), Plain.u32(2), Plain.u32(2), Plain.u16(0xFFFF), Plain.u16(0xFFFE)),
      Plain.fullBox(
        "sbgp", Plain.type("roll"), Plain.u32(3), Plain.u32(2), Plain.u32(1), Plain.u32(1), Plain.u32(0), Plain.u32(3),
        Plain.u32(2)),
      Plain.fullBox(
        "subs", Plain.u32(2), Plain.u32(2), Plain.u16(1), Plain.u16(3), [1, 0], Plain.u32(9), Plain.u32(3),
        Plain.u16(2), Plain.u16(3), [0, 1], Plain.u32(8), Plain.u16(5), [0, 0], Plain.u32(7)),
    ]
    track.more = tables.flatMap { $0 }
    return (track, tables)
  }

  /// All boxes of some types in a file, wherever they are, as bytes.
  private func boxes(_ types: [String]) throws -> [[UInt8]] {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: output)))
    return types.flatMap { type in
      bytes.indices.dropLast(7).filter { bytes[($0 + 4)..<($0 + 8)].elementsEqual(Plain.type(type)) }.map { place in
        let size = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
        return Array(bytes[place..<(place + size)])
      }
    }
  }

  @Test("groups, parts and dependencies of samples go into fragments and come back as they were")
  func annotationsThereAndBack() throws {
    let (track, tables) = Self.annotated
    let source = MovieMaker.progressive([track], media: [UInt8](repeating: 7, count: 39))
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentDuration = 0.05
    try Remuxer(from: try opened(source), to: output, options: options).run()
    // The fourth sample begins a fragment.
    let roll = Plain.type("roll")
    #expect(
      try boxes(["sbgp", "subs", "sgpd", "sdtp"]) == [
        Plain.fullBox("sbgp", roll, Plain.u32(2), Plain.u32(2), Plain.u32(1), Plain.u32(1), Plain.u32(0)),
        Plain.fullBox("sbgp", roll, Plain.u32(1), Plain.u32(3), Plain.u32(2)),
        Plain.fullBox("subs", Plain.u32(1), Plain.u32(2), Plain.u16(1), Plain.u16(3), [1, 0], Plain.u32(9)),
        Plain.fullBox(
          "subs", Plain.u32(1), Plain.u32(2), Plain.u16(2), Plain.u16(3), [0, 1], Plain.u32(8), Plain.u16(5), [0, 0],
          Plain.u32(7)),
        tables[1],
      ])
    let pieces = try Data(contentsOf: URL(fileURLWithPath: output))
    let (_, movie) = try remux(Array(pieces), .fastStart)
    #expect(try boxes(["sdtp", "sgpd", "sbgp", "subs"]) == tables)
    #expect(
      Delivery(movie.samples(of: movie.tracks[0])).records.map(\.dependencies) == [0x24, 0x18, 0x18, 0x24, 0x18, 0x18])
  }

  @Test("descriptions that fragments brought along join those of the movie header, each once")
  func joinsDescriptions() throws {
    func fragment(_ time: UInt64, _ index: UInt32, own: UInt16) -> [UInt8] {
      var fragment = MadeFragment(time: time, runs: [MadeRun(samples: [.init(duration: 10), .init(duration: 10)])])
      fragment.isBaseMoof = true
      fragment.more =
        Plain.fullBox("sgpd", version: 1, Plain.type("roll"), Plain.u32(2), Plain.u32(1), Plain.u16(own))
        + Plain.fullBox("sbgp", Plain.type("roll"), Plain.u32(1), Plain.u32(1), Plain.u32(index))
      return MadeFragment.moof([fragment])
    }
    var track = MadeTrack()
    track.more = Plain.fullBox("sgpd", version: 1, Plain.type("roll"), Plain.u32(2), Plain.u32(1), Plain.u16(5))
    let source =
      MovieMaker.fileType + MovieMaker.moov([track], defaults: [.init(1)]) + fragment(0, 1, own: 6)
      + fragment(20, 0x10001, own: 6) + fragment(40, 0x10001, own: 5) + fragment(60, 0x10001, own: 6)
    _ = try remux(source, .fastStart)
    let roll = Plain.type("roll")
    #expect(
      try boxes(["sgpd", "sbgp"]) == [
        Plain.fullBox("sgpd", version: 1, roll, Plain.u32(2), Plain.u32(2), Plain.u16(5), Plain.u16(6)),
        Plain.fullBox(
          "sbgp", roll, Plain.u32(7),
          [(1, 1), (1, 0), (1, 2), (1, 0), (1, 1), (1, 0), (1, 2)].flatMap { Plain.u32($0) + Plain.u32($1) }),
      ])
  }

  @Test("patterns of groups become runs, bounded by the samples there are")
  func unrollsPatterns() throws {
    var track = MadeTrack(samples: [4, 5, 6, 7, 8], at: MovieMaker.mediaStart)
    // Patterns of 8 bits each: one of two groups over four billion samples.
    track.more = Plain.fullBox(
      "csgp", flags: 0x2D, Plain.type("rap "), Plain.u32(1), [0, 2], Plain.u32(.max), [1, 2])
    let source = MovieMaker.progressive([track], media: [UInt8](repeating: 7, count: 30))
    _ = try quickly { try remux(source, .fragmented) }
    #expect(
      try boxes(["sbgp"]) == [
        Plain.fullBox(
          "sbgp", Plain.type("rap "), Plain.u32(5), [1, 2, 1, 2, 1].flatMap { Plain.u32(1) + Plain.u32($0) })
      ])
  }

  @Test("boxes that belong to fragments are counted when these are joined")
  func countsLeftOut() throws {
    let event = Plain.fullBox("emsg", version: 1, [UInt8](repeating: 0, count: 24))
    let source = Self.fragmented([(0, [1, 2])]) + event + event
    #expect(try remux(source, .moovLast).0.leftOut == ["emsg": 2])
    #expect(try remux(source, .fragmented).0.leftOut.isEmpty)
    #expect(try boxes(["emsg"]).count == 2)
  }
}
