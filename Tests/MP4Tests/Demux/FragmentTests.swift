import MP4
import MediaCore
import TestSupport
import Testing

/// Movies in fragments: made ones against a plain reading of them.
@Suite(.inTurn) struct FragmentTests {
  @Test("any fragments, whatever they leave to defaults, give the samples of a plain reading", arguments: 0..<10)
  func readsRandomFragments(seed: Int) throws {
    var noise = Noise(seed: UInt64(seed) + 1000)
    for _ in 0..<20 {
      let made = MadeFragments.random(using: &noise)
      let expected = made.plain()
      let movie = try opened(made.file().bytes)
      #expect(Set(movie.tracks.map(\.id)) == Set(expected.keys))
      for track in movie.tracks {
        let found = Delivery(movie.samples(of: track))
        #expect(found.error == nil, "\(made)")
        #expect(found.plain == expected[track.id], "track \(track.id) of \(made)")
        // Sizes that no chunk holds count as bytes, though they lie nowhere.
        if made.tracks.allSatisfy({ $0.id != track.id || $0.sizeCount == PlainTables($0).records.count }) {
          #expect(track.sampleCount == UInt64(found.records.count))
          #expect(try movie.byteCount(of: track) == found.records.reduce(0) { $0 + UInt64($1.size) })
        }
        var reader = movie.samples(of: track)
        for _ in 0..<3 {
          let index = Int.random(in: 0...found.records.count, using: &noise)
          let number = index < found.records.count ? found.records[index].number : track.sampleCount
          try reader.seek(toSample: number)
          #expect(Delivery(reader).records == Array(found.records[index...]))
        }
      }
    }
  }

  @Test("fragments that come through a pipe give the same samples", arguments: 0..<10)
  func streamsRandomFragments(seed: Int) throws {
    var noise = Noise(seed: UInt64(seed) + 2000)
    var compared = 0
    for _ in 0..<40 {
      var bytes = MadeFragments.random(using: &noise).file().bytes
      // The media is the same byte throughout: it has to tell where a sample lies.
      for index in bytes.indices where bytes[index] == 0xBB {
        bytes[index] = UInt8(truncatingIfNeeded: 31 * index >> 3)
      }
      let movie = try opened(bytes)
      guard let streamed = try StreamedMovie(SourceReader(PipedBytes(bytes, history: .max))) else { continue }
      for track in streamed.movie.tracks {
        var packets = streamed.packets(of: track)
        let expected = movie.track(id: track.id).map { Delivery(movie.samples(of: $0)).records } ?? []
        for record in expected {
          let packet = try #require(try packets.next())
          #expect(packet.trackID == track.id && packet.timing.decodeTime == record.decodeTime)
          #expect(packet.timing.presentationTime == record.presentationTime && packet.isSync == record.isSync)
          #expect(packet.timing.duration == record.duration && packet.descriptionIndex == record.descriptionIndex)
          let range = Int(record.offset)..<Int(record.offset) + record.size
          #expect(try packet.payload.load().elementsEqual(bytes[range]))
          compared += 1
        }
        #expect(try packets.next() == nil && packets.next() == nil && packets.missingBytes == 0)
      }
    }
    #expect(compared > 50)
  }

  @Test("samples that share bytes, or have none, end a stream before they take forever")
  func endlessStream() throws {
    for sample in [MadeRun.Sample(duration: 10, size: 0), MadeRun.Sample(duration: 10, size: 100)] {
      var made = MadeFragments(tracks: [MadeTrack(id: 1)], defaults: [.init(1)])
      let run = MadeRun(dataOffset: 0, samples: [sample])
      let runs = [MadeRun](repeating: run, count: 200_000)
      made.fragments = [[MadeFragment(id: 1, time: 0, runs: runs)]]
      made.mediaSize = 100
      let streamed = try #require(try StreamedMovie(SourceReader(PipedBytes(made.file().bytes, history: .max))))
      var packets = streamed.packets(of: streamed.movie.tracks[0])
      var count = 0
      let error = #expect(throws: MP4Error.self) { while try packets.next() != nil { count += 1 } }
      guard case .overlappingSamples = try #require(error).code else { throw try #require(error) }
      #expect(count < 110_000)
    }
  }

  /// Two samples of ten bytes and ten ticks.
  private static let pair = [MadeRun.Sample](repeating: .init(duration: 10, size: 10), count: 2)

  @Test("data offsets count from the base given, from the moof, or from the end of the data before")
  func countsFromItsBase() throws {
    var made = MadeFragments(tracks: [MadeTrack(id: 1), MadeTrack(id: 2)], defaults: [.init(1), .init(2)])
    var given = MadeFragment(id: 1, time: 0, runs: [MadeRun(dataOffset: 7, samples: Self.pair)])
    given.base = 100
    var first = MadeFragment(id: 1, runs: [MadeRun(dataOffset: 300, samples: Self.pair), MadeRun(samples: Self.pair)])
    first.isBaseMoof = true
    // Neither: it counts from where the data of the traf before it ended.
    let second = MadeFragment(id: 2, runs: [MadeRun(samples: Self.pair), MadeRun(dataOffset: 60, samples: Self.pair)])
    made.fragments = [
      [given], [first, second], [MadeFragment(id: 2, runs: [MadeRun(dataOffset: 8, samples: Self.pair)])],
    ]
    let (bytes, moofs) = made.file()
    let (one, two) = (try delivery(bytes, track: 0), try delivery(bytes, track: 1))
    #expect(one.records.map(\.offset) == [107, 117] + [300, 310, 320, 330].map { moofs[1] + $0 })
    // The first traf of a moof counts from the moof.
    #expect(two.records.map(\.offset) == [340, 350, 400, 410].map { moofs[1] + $0 } + [8, 18].map { moofs[2] + $0 })
  }

  @Test("times go on from the fragment before where tfdt is missing, and jump where it is there")
  func startsWhenItSays() throws {
    var made = MadeFragments(tracks: [MadeTrack(id: 1)], defaults: [.init(1)])
    let run = MadeRun(dataOffset: 0, samples: Self.pair)
    made.fragments = [nil, nil, 1000, nil, 500].map { [MadeFragment(id: 1, time: $0, runs: [run])] }
    let found = try delivery(made.file().bytes)
    #expect(found.records.map(\.decodeTime) == [0, 10, 20, 30, 1000, 1010, 1020, 1030, 500, 510])
    #expect(found.records.map(\.number) == Array(0..<10))
  }

  @Test("the first sample's own flags go before defaults, and a sample's flags before them")
  func flagsOverride() throws {
    var made = MadeFragments(tracks: [MadeTrack(id: 1)], defaults: [.init(1, flags: 0x101_0000)])
    let three = Self.pair + Self.pair.prefix(1)
    let plain = MadeRun(dataOffset: 0, samples: three)
    let first = MadeRun(dataOffset: 0, firstFlags: 0x200_0000, samples: three)
    var own = MadeRun(dataOffset: 0, fields: 0x700, samples: three)
    own.samples[1].flags = 0x1_0000
    var fragment = MadeFragment(id: 1, runs: [plain])
    fragment.flags = 0x200_0000
    made.fragments = [[MadeFragment(id: 1, runs: [plain, first, own]), fragment]]
    let syncs = try delivery(made.file().bytes).records.map(\.isSync)
    #expect(syncs == [false, false, false, true, false, false, true, false, true, true, true, true])
  }

  @Test("size, duration and description come from trex, or from tfhd before it, or from the run before both")
  func defaultsOverride() throws {
    let defaults = MovieMaker.Defaults(1, description: 2, duration: 11, size: 22)
    var made = MadeFragments(tracks: [MadeTrack(id: 1)], defaults: [defaults])
    let bare = MadeRun(dataOffset: 0, fields: 0, samples: Self.pair)
    var fragment = MadeFragment(id: 1, runs: [bare, MadeRun(dataOffset: 0, samples: Self.pair)])
    (fragment.duration, fragment.size, fragment.description) = (33, 44, 5)
    made.fragments = [[MadeFragment(id: 1, runs: [bare])], [fragment]]
    let found = try delivery(made.file().bytes).records
    #expect(found.map(\.duration) == [11, 11, 33, 33, 10, 10])
    #expect(found.map(\.size) == [22, 22, 44, 44, 10, 10])
    #expect(found.map(\.descriptionIndex) == [1, 1, 4, 4, 4, 4])
  }

  @Test("an initialization segment and media segments, one after another, are one movie")
  func joinsSegments() throws {
    let start = MovieMaker.fileType + MovieMaker.moov([MadeTrack(id: 1)], defaults: [.init(1)])
    var bytes = start
    for number in 0..<3 {
      var fragment = MadeFragment(
        id: 1, time: UInt64(number) * 20, runs: [MadeRun(dataOffset: 100, samples: Self.pair)])
      fragment.isBaseMoof = true
      bytes +=
        Plain.box("styp", Plain.type("msdh"), Plain.u32(0)) + Plain.fullBox("sidx", [UInt8](repeating: 0, count: 40))
      bytes += MadeFragment.moof([fragment]) + Plain.box("mdat", [UInt8](repeating: 1, count: 100))
    }
    let movie = try opened(bytes)
    #expect(movie.layout == .fragmented)
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.map(\.decodeTime) == [0, 10, 20, 30, 40, 50])
    #expect(movie.tracks[0].mediaDuration == MediaTime(value: 60, timescale: 1000))
    // Without the first part there is no movie, and the error says what is missing.
    let error = #expect(throws: MP4Error.self) { _ = try self.movieWithout(start, bytes) }
    #expect(error?.code == .noMovie(.mediaSegment))
  }

  private func movieWithout(_ start: [UInt8], _ bytes: [UInt8]) throws -> MP4Demuxer {
    try opened(Array(bytes.dropFirst(start.count)))
  }

  @Test("samples in the movie header come first, those in fragments follow", arguments: [nil, 700 as UInt64])
  func joinsHeaderAndFragments(time: UInt64?) throws {
    let track = MadeTrack(id: 1, samples: [5, 6, 7], at: 40, delta: 100)
    var made = MadeFragments(tracks: [track], defaults: [.init(1)])
    made.fragments = [[MadeFragment(id: 1, time: time, runs: [MadeRun(dataOffset: 0, samples: Self.pair)])]]
    let movie = try opened(made.file().bytes)
    let start = time.map { Int64($0) } ?? 300
    let found = Delivery(movie.samples(of: movie.tracks[0])).records
    #expect(found.map(\.decodeTime) == [0, 100, 200, start, start + 10])
    #expect(found.map(\.number) == [0, 1, 2, 3, 4])
    #expect(movie.tracks[0].sampleCount == 5)
    #expect(movie.tracks[0].mediaDuration == MediaTime(value: start + 20, timescale: 1000))
    #expect(try movie.byteCount(of: movie.tracks[0]) == 38)
    var reader = movie.samples(of: movie.tracks[0])
    for number in [4, 2, 3, 0, 5] as [UInt64] {
      try reader.seek(toSample: number)
      #expect(try reader.nextRecord()?.number == (number < 5 ? number : nil))
    }
  }

  @Test("samples without a table of times are numbered before those in fragments all the same")
  func numbersUntimedSamples() throws {
    var track = MadeTrack(id: 1, samples: [5, 6, 7], at: 40)
    track.times = nil
    var made = MadeFragments(tracks: [track], defaults: [.init(1)])
    made.fragments = [[MadeFragment(id: 1, runs: [MadeRun(dataOffset: 0, samples: Self.pair)])]]
    let movie = try opened(made.file().bytes)
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.map(\.number) == [0, 1, 2, 3, 4])
    #expect(movie.tracks[0].sampleCount == 5)
    var reader = movie.samples(of: movie.tracks[0])
    try reader.seek(toSample: 3)
    #expect(try reader.nextRecord()?.decodeTime == 0)
    #expect(try reader.nextRecord()?.decodeTime == 10)
  }

  @Test("fragments in front of the movie header count as much as those after it")
  func readsEarlyFragments() throws {
    var made = MadeFragments(tracks: [MadeTrack(id: 1)], defaults: [.init(1, duration: 10, size: 10)])
    let run = MadeRun(dataOffset: 0, fields: 0, samples: Self.pair)
    made.fragments = [[MadeFragment(id: 1, runs: [run])], [MadeFragment(id: 1, runs: [run])]]
    for before in 0...2 {
      made.fragmentsBeforeMovie = before
      let (bytes, moofs) = made.file()
      let found = try delivery(bytes)
      #expect(found.records.map(\.offset) == moofs.flatMap { [$0, $0 + 10] })
      #expect(found.records.map(\.decodeTime) == [0, 10, 20, 30])
      #expect(found.error == nil)
    }
  }

  @Test("a track that only fragments know is there, as what it is")
  func keepsUndescribedTracks() throws {
    var made = MadeFragments(tracks: [MadeTrack(id: 1)], defaults: [.init(1), .init(9, duration: 5, size: 6)])
    let bare = MadeRun(dataOffset: 0, fields: 0, samples: Self.pair)
    made.fragments = [[MadeFragment(id: 9, runs: [bare])], [MadeFragment(id: 1), MadeFragment(id: 9, runs: [bare])]]
    let movie = try opened(made.file().bytes)
    #expect(movie.tracks.map(\.id) == [1, 9])
    #expect(movie.tracks[1].kind == .other("????"))
    #expect(movie.tracks[1].sampleCount == 4)
    let found = Delivery(movie.samples(of: movie.tracks[1])).records
    #expect(found.map(\.size) == [6, 6, 6, 6])
    #expect(found.map(\.decodeTime) == [0, 5, 10, 15])
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.isEmpty)
  }
}
