import ISOBMFF
import MP4
import MediaCore
import TestSupport
import Testing

/// Boxes that lie about their size, their depth or each other.
@Suite(.inTurn) struct HostileBoxTests {
  private static let media = [UInt8](repeating: 0xCC, count: 400)
  private static let plain = MovieMaker.progressive([HostileTableTests.track()], media: media)

  /// Boxes of one type, one inside the other.
  private static func nested(_ type: String, depth: Int) -> [UInt8] {
    (0..<depth).flatMap { Plain.header(type, claiming: UInt32(8 * (depth - $0))) }
  }

  @Test("boxes nested ten thousand deep are refused, with where that is", arguments: ["udta", "trak", "minf", "moov"])
  func refusesDepth(type: String) throws {
    let bytes = MovieMaker.fileType + Plain.box("moov", Self.nested(type, depth: 10_000))
    let error = quickly { #expect(throws: MP4Error.self) { try opened(bytes) } }
    guard case .box(let box)? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(box.code == .nestedTooDeep)
    #expect(error?.path?.hasPrefix("moov/\(type)/") == true)
    #expect(error?.offset.map { $0 < 1000 } == true)
  }

  @Test(
    "a size that wraps 64 bits reaches to the end and no further",
    arguments: [
      UInt64.max, .max - 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 400,
    ] as [UInt64])
  func clipsSizes(size: UInt64) throws {
    let header = Plain.u32(1) + Plain.type("free") + Plain.u64(size)
    // At the top level, and inside the movie header after the track.
    #expect(try quickly { try delivery(Self.plain + header) }.records.count == 3)
    let inside = MovieMaker.progressive([HostileTableTests.track()], media: Self.media, more: header)
    #expect(try quickly { try delivery(inside + Plain.box("free")) }.records.count == 3)
    let media = MovieMaker.fileType + MovieMaker.moov([HostileTableTests.track()])
    #expect(
      try quickly { try delivery(media + Plain.u32(1) + Plain.type("mdat") + Plain.u64(size) + Self.media) }
        .records.count == 3)
  }

  @Test("a size of 0 in the middle takes what is after it, and costs no more")
  func toleratesSizeZero() throws {
    let zero = Plain.header("free", claiming: 0)
    #expect(try quickly { try delivery(Self.plain + zero + Self.plain) }.records.count == 3)
    let inside = MovieMaker.progressive([HostileTableTests.track()], media: Self.media, more: zero + [1, 2, 3])
    #expect(try quickly { try delivery(inside) }.records.count == 3)
    let error = quickly { #expect(throws: MP4Error.self) { try opened(MovieMaker.fileType + zero + Self.plain) } }
    #expect(error?.code == .noMovie(.unknown))
  }

  @Test("a size smaller than its header ends the boxes there", arguments: [2, 3, 7] as [UInt32])
  func endsAtImpossibleSizes(size: UInt32) throws {
    #expect(try quickly { try delivery(Self.plain + Plain.header("free", claiming: size)) }.records.count == 3)
    let inside = MovieMaker.progressive(
      [HostileTableTests.track()], media: Self.media, more: Plain.header("free", claiming: size))
    #expect(try quickly { try delivery(inside) }.records.count == 3)
    let large = Plain.u32(1) + Plain.type("free") + Plain.u64(UInt64(size))
    #expect(try quickly { try delivery(Self.plain + large) }.records.count == 3)
  }

  @Test("an empty movie header, and an empty track, are a movie without samples")
  func toleratesEmptyBoxes() throws {
    #expect(try opened(MovieMaker.fileType + Plain.box("moov")).tracks.isEmpty)
    let found = try delivery(MovieMaker.fileType + Plain.box("moov", Plain.box("trak")))
    #expect(found.records.isEmpty)
    #expect(found.error == nil)
  }

  @Test("chapter tracks that refer to themselves, or to each other, have the chapters they have")
  func toleratesRingsOfChapters() throws {
    var first = MadeTrack(id: 1, samples: [3, 3], at: MovieMaker.mediaStart)
    first.handler = "text"
    first.entries = [Plain.box("text", [UInt8](repeating: 0, count: 8), [UInt8](repeating: 0, count: 43))]
    first.references = [("chap", [1, 2, 1, 77, 0])]
    var second = first
    second.id = 2
    second.references = [("chap", [1]), ("chap", [2])]
    let media: [UInt8] = [0, 1, 0x41, 0, 1, 0x42]
    for tracks in [[first], [first, second], [second, first]] {
      let movie = try opened(MovieMaker.progressive(tracks, media: media))
      #expect(try quickly { try movie.chapters() }.map(\.title) == ["A", "B"])
    }
  }

  @Test("a file cut anywhere is opened or refused, and its samples end in order", arguments: [false, true])
  func survivesEveryCut(isFragmented: Bool) throws {
    let run = MadeRun(dataOffset: 200, samples: [.init(duration: 5, size: 30), .init(duration: 5, size: 40)])
    let fragments =
      MovieMaker.moov([MadeTrack()], defaults: [.init(1)])
      + MadeFragment.moof([MadeFragment(time: 0, runs: [run])]) + Plain.box("mdat", Self.media)
    let header = MovieMaker.moov([HostileTableTests.track()])
    let whole = MovieMaker.fileType + (isFragmented ? fragments : header + Plain.box("mdat", Self.media))
    let all = try delivery(whole).records
    #expect(!all.isEmpty)
    var opened = 0
    for length in whole.indices {
      guard let movie = try? MP4Tests.opened(Array(whole[..<length])) else { continue }
      opened += 1
      for track in movie.tracks {
        let found = Delivery(movie.samples(of: track))
        // Inside the movie header tables are cut too; after it what comes is the beginning of the truth.
        if length >= MovieMaker.fileType.count + header.count { #expect(all.starts(with: found.records)) }
        #expect(found.records.allSatisfy { $0.offset + UInt64($0.size) <= UInt64(length) })
      }
    }
    // All that have a header to its end, at least.
    #expect(opened >= Self.media.count)
  }

  @Test("files with a few bytes changed are opened or refused, whatever the bytes", arguments: 0..<8)
  func survivesRandomChanges(seed: Int) throws {
    var noise = Noise(seed: UInt64(seed) + 500)
    var tracks = [HostileTableTests.track(), HostileTableTests.track()]
    tracks[1].handler = "soun"
    tracks[1].entries = [MadeEntry.audio("sowt")]
    tracks[1].sizes = .constant(4, count: 12)
    let run = MadeRun(
      dataOffset: 100, fields: 0xF00, samples: [.init(duration: 5, size: 3), .init(duration: 6, size: 4)])
    let whole =
      MovieMaker.progressive(tracks, media: Self.media, defaults: [.init(1, duration: 3, size: 4)])
      + MadeFragment.moof([MadeFragment(time: 40, runs: [run]), MadeFragment(runs: [run])])
    var opened = 0
    for _ in 0..<250 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &noise) {
        let place = Int.random(in: 0..<bytes.count, using: &noise)
        let value = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &noise)].randomElement(using: &noise)
        bytes[place] = value ?? 0
      }
      guard let movie = try? MP4Tests.opened(bytes) else { continue }
      opened += 1
      quickly {
        for track in movie.tracks {
          let found = Delivery(movie.samples(of: track), limit: 10_000)
          #expect(found.error != nil || found.records.count < 10_000)
          var reader = movie.samples(of: track)
          _ = try? reader.seek(toSample: noise.next() >> 40)
          _ = try? reader.next()
        }
        _ = try? movie.chapters()
      }
    }
    #expect(opened > 50)
  }
}
