import ISOBMFF
import MP4
import MediaCore
import TestSupport
import Testing

/// Fragments that claim what cannot be.
@Suite(.inTurn) struct HostileFragmentTests {
  private static let pair = [MadeRun.Sample](repeating: .init(duration: 10, size: 10), count: 2)

  private func file(
    _ fragments: [MadeFragment], defaults: MovieMaker.Defaults = .init(1), mediaSize: Int = 400
  ) -> [UInt8] {
    MadeFragments(tracks: [MadeTrack()], defaults: [defaults], fragments: [fragments], mediaSize: mediaSize).file()
      .bytes
  }

  @Test("a run that claims four billion samples gives those it has fields for, then an error that names it")
  func deliversWhatIsThere() throws {
    let good = MadeRun(dataOffset: 0, samples: Self.pair)
    let liar = MadeRun(dataOffset: 100, samples: Self.pair + Self.pair.prefix(1), claim: .max)
    let bytes = file([MadeFragment(time: 0, runs: [good, liar, good]), MadeFragment(runs: [good])])
    let found = try quickly { try delivery(bytes) }
    #expect(found.records.map(\.decodeTime) == [0, 10, 20, 30, 40])
    let error = try #require(found.error)
    #expect(error.path == "moof/traf/trun")
    let runs = bytes.indices.dropLast(3).filter { bytes[$0..<($0 + 4)].elementsEqual(Plain.type("trun")) }
    #expect(error.offset == UInt64(runs[1] - 4))
    #expect(error.description.contains("claims 4294967295 entries, but there is room for 3"))
  }

  @Test("a run without fields that claims four billion samples gives those that the file has bytes for")
  func boundsBareRuns() throws {
    let good = MadeRun(dataOffset: 0, samples: Self.pair)
    let liar = MadeRun(dataOffset: 0, fields: 0, samples: [], claim: .max)
    let empty = try quickly { try delivery(file([MadeFragment(time: 0, runs: [good, liar])])) }
    #expect(empty.records.count == 2)
    #expect(empty.error?.path == "moof/traf/trun")
    let bytes = file([MadeFragment(time: 0, runs: [good, liar])], defaults: .init(1, size: 10))
    let full = try quickly { try delivery(bytes) }
    #expect(full.records.count >= 2 + 40)
    #expect(full.records.allSatisfy { $0.size == 10 && $0.offset + 10 <= UInt64(bytes.count) })
    #expect(full.error != nil)
  }

  @Test("runs of four billion samples of one byte, thousands of them, open at once")
  func boundsManyBareRuns() throws {
    let liar = MadeRun(dataOffset: 0, fields: 0, samples: [], claim: 1000)
    let bytes = file(
      [MadeFragment(time: 0, runs: [MadeRun](repeating: liar, count: 20_000))], defaults: .init(1, size: 1))
    let movie = try quickly { try opened(bytes) }
    #expect(movie.tracks[0].sampleCount <= UInt64(bytes.count) + 100_000)
    #expect(movie.defect(of: movie.tracks[0])?.path == "moof/traf/trun")
  }

  @Test("times that run over 64 bits give the samples before that, then an error that names the fragment")
  func stopsBeforeTimesOverflow() throws {
    let long = [MadeRun.Sample](repeating: .init(duration: 1 << 30, size: 1), count: 20)
    let start = UInt64(Int64.max) - (10 << 30)
    let bytes = file([MadeFragment(time: start, runs: [MadeRun(dataOffset: 0, samples: long)])])
    let found = try quickly { try delivery(bytes) }
    let fit = (UInt64(Int64.max) - start) >> 30
    #expect(found.records.count == Int(fit))
    #expect(found.records.last.map { UInt64($0.decodeTime) } == start + ((fit - 1) << 30))
    #expect(found.error?.path == "moof/traf")
    #expect(found.error?.offset == HostileTableTests.place(of: "traf", in: bytes))
    // Bare runs, which are added up at once, stop at the same sample.
    let bare = MadeRun(dataOffset: 0, fields: 0, samples: long)
    let other = try delivery(
      file([MadeFragment(time: start, runs: [bare])], defaults: .init(1, duration: 1 << 30, size: 1)))
    #expect(other.records.map(\.decodeTime) == found.records.map(\.decodeTime))
  }

  @Test("composition offsets that run over 64 bits do as well")
  func stopsBeforeOffsetsOverflow() throws {
    let start = UInt64(Int64.max) - 1000
    var samples = [MadeRun.Sample](repeating: .init(duration: 1, size: 1, offset: 500), count: 4)
    samples[2].offset = 5000
    let bytes = file([MadeFragment(time: start, runs: [MadeRun(dataOffset: 0, fields: 0xB00, samples: samples)])])
    let found = try delivery(bytes)
    #expect(found.records.count == 2)
    #expect(found.error?.path == "moof/traf")
  }

  @Test(
    "a first time beyond 63 bits is taken as what it is in two's complement",
    arguments: [
      UInt64.max, 1 << 63, (1 << 63) + 5,
    ] as [UInt64])
  func toleratesHugeTimes(time: UInt64) throws {
    let found = try delivery(file([MadeFragment(time: time, runs: [MadeRun(dataOffset: 0, samples: Self.pair)])]))
    #expect(found.records.map(\.decodeTime) == [Int64(bitPattern: time), Int64(bitPattern: time) + 10])
  }

  @Test(
    "data in front of the file, or far behind it, is outside it",
    arguments: [
      (nil, Int32.min), (0, -1), (UInt64.max, 0), (.max, .max), (.max - 4, 0), (1 << 63, .min),
    ] as [(UInt64?, Int32)])
  func refusesPlacesOutside(base: UInt64?, offset: Int32) throws {
    let good = MadeRun(dataOffset: 0, samples: Self.pair)
    var fragment = MadeFragment(time: 20, runs: [MadeRun(dataOffset: offset, samples: Self.pair)])
    fragment.base = base
    let found = try quickly { try delivery(file([MadeFragment(time: 0, runs: [good]), fragment])) }
    #expect(found.records.map(\.decodeTime) == [0, 10])
    guard case .sampleOutsideFile(number: 2, let missing)? = found.error?.code else {
      Issue.record("\(String(describing: found.error))")
      return
    }
    #expect(missing > 0)
    let place = missing == .max ? "outside of the file" : "beyond the end of the file"
    #expect(found.error?.description.contains("sample 2 lies \(place)") == true)
  }

  @Test("fragments of ever new tracks are not followed without end")
  func boundsTracks() throws {
    let bytes = file((0..<50_000).map { MadeFragment(id: UInt32($0 + 10)) })
    let movie = try quickly { try opened(bytes) }
    #expect(movie.tracks.count <= 2000)
    #expect(movie.defect(of: movie.tracks[0])?.path == "moof")
  }

  @Test("a movie with a thousand tracks in fragments has them all")
  func keepsManyTracks() throws {
    let tracks = (1...1500).map { MadeTrack(id: UInt32($0)) }
    let run = MadeRun(dataOffset: 0, samples: Self.pair)
    let made = MadeFragments(
      tracks: tracks, defaults: tracks.map { .init($0.id) },
      fragments: [tracks.map { MadeFragment(id: $0.id, runs: [run]) }])
    let movie = try opened(made.file().bytes)
    #expect(movie.tracks.count == 1500)
    #expect(movie.tracks.allSatisfy { $0.sampleCount == 2 && movie.defect(of: $0) == nil })
  }

  @Test("fragments in front of a movie header cost no memory, however many, and none where it never comes")
  func toleratesEarlyFragments() throws {
    let early = [UInt8](repeatElement(Plain.box("moof"), count: 20_000).joined())
    let error = quickly { #expect(throws: MP4Error.self) { try opened(MovieMaker.fileType + early) } }
    #expect(error?.code == .noMovie(.mediaSegment))
    let track = MadeTrack(samples: [4, 4], at: 0)
    #expect(try quickly { try delivery(MovieMaker.fileType + early + MovieMaker.moov([track])) }.records.count == 2)
  }

  @Test("a fragment whose header or time is cut ends the track there, and says so", arguments: ["tfhd", "tfdt"])
  func namesCutBoxes(type: String) throws {
    let run = MadeRun(dataOffset: 0, samples: Self.pair)
    let good = MadeFragment(time: 0, runs: [run])
    let cut = Plain.box(
      "traf", type == "tfhd" ? [] : Plain.fullBox("tfhd", Plain.u32(1)), Plain.fullBox(type), run.bytes)
    let bytes =
      MovieMaker.fileType + MovieMaker.moov([MadeTrack()], defaults: [.init(1)])
      + Plain.box("moof", good.bytes, cut, good.bytes) + Plain.box("mdat", [UInt8](repeating: 0, count: 100))
    let found = try delivery(bytes)
    #expect(found.records.map(\.decodeTime) == [0, 10])
    #expect(found.error?.path == "moof/traf/\(type)")
  }

  @Test("a movie of fragments ends at the one that is too large for the limits, instead of being refused")
  func endsAtLargeFragments() throws {
    var limits = BoxLimits()
    limits.loadedSize = 4000
    let run = MadeRun(dataOffset: 0, samples: Self.pair)
    let large = MadeRun(dataOffset: 0, fields: 0xF00, samples: [MadeRun.Sample](repeating: .init(size: 1), count: 1000))
    let made = MadeFragments(
      tracks: [MadeTrack()], defaults: [.init(1)],
      fragments: [[MadeFragment(runs: [run])], [MadeFragment(runs: [large])], [MadeFragment(runs: [run])]])
    let (bytes, moofs) = made.file()
    let movie = try MP4Demuxer(source: MemorySource(bytes), limits: limits)
    let found = Delivery(movie.samples(of: movie.tracks[0]))
    #expect(found.records.count == 2)
    #expect(found.error?.offset == moofs[1])
    #expect(found.error?.path == "moof")
  }
}
