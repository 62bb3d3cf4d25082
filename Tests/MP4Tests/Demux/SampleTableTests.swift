import MP4
import MediaCore
import TestSupport
import Testing

/// Progressive tracks: made tables against a plain reading of them.
@Suite(.inTurn) struct SampleTableTests {
  private static let media = [UInt8](repeating: 0xAA, count: 5000)

  @Test("any tables, however they contradict one another, give the samples of a plain reading", arguments: 0..<30)
  func readsRandomTables(seed: Int) throws {
    var noise = Noise(seed: UInt64(seed))
    for _ in 0..<5 {
      let tracks = (1...20).map { MadeTrack.random(id: $0, using: &noise) }
      let movie = try opened(MovieMaker.progressive(tracks, media: Self.media))
      #expect(movie.tracks.map(\.id) == tracks.map(\.id))
      for (made, track) in zip(tracks, movie.tracks) {
        let expected = PlainTables(made).records
        let found = Delivery(movie.samples(of: track))
        #expect(found.error == nil, "\(made)")
        #expect(found.plain == expected, "\(made)")
        #expect(found.records.map(\.number) == (0..<UInt64(found.records.count)).map { $0 })
        try checkSeeking(movie, track, found.records, using: &noise)
      }
    }
  }

  private func checkSeeking(
    _ movie: MP4Demuxer, _ track: Track, _ records: [SampleRecord], using noise: inout Noise
  ) throws {
    var reader = movie.samples(of: track)
    for _ in 0..<3 {
      let number = Int.random(in: 0...records.count + 2, using: &noise)
      try reader.seek(toSample: UInt64(number))
      #expect(Delivery(reader).records == Array(records.dropFirst(number)), "track \(track.id) from \(number) on")
    }
    let ticks = Int64.random(in: -100...1500, using: &noise)
    // The last sync sample shown at the time or before, else the first sample.
    let expected = records.last { $0.isSync && $0.presentationTime <= ticks } ?? records.first
    let target = try reader.seek(to: MediaTime(value: ticks, timescale: track.timescale))
    #expect(target == expected?.number, "track \(track.id) at \(ticks)")
    let next = try reader.nextRecord()
    #expect(next == (expected == nil ? records.first : expected))
  }

  @Test("the samples of a well-formed track are what its tables say, one by one")
  func readsKnownTables() throws {
    var track = MadeTrack(id: 7)
    track.sizes = .each([10, 20, 30, 40, 50])
    track.times = [.init(2, 100), .init(3, 200)]
    track.offsets = [.init(1, 0), .init(2, 300), .init(2, -50)]
    track.offsetsVersion = 1
    track.chunks = [.init(1, 2), .init(2, 3, 2)]
    track.places = [100, 500]
    track.syncSamples = [1, 4]
    track.entries = [MadeEntry.video("avc1"), MadeEntry.video("avc1")]
    let found = try delivery(MovieMaker.progressive([track], media: Self.media))
    #expect(
      found.plain == [
        .init(offset: 100, size: 10, decodeTime: 0, presentationTime: 0, duration: 100, isSync: true, description0: 0),
        .init(
          offset: 110, size: 20, decodeTime: 100, presentationTime: 400, duration: 100, isSync: false, description0: 0),
        .init(
          offset: 500, size: 30, decodeTime: 200, presentationTime: 500, duration: 200, isSync: false, description0: 1),
        .init(
          offset: 530, size: 40, decodeTime: 400, presentationTime: 350, duration: 200, isSync: true, description0: 1),
        .init(
          offset: 570, size: 50, decodeTime: 600, presentationTime: 550, duration: 200, isSync: false, description0: 1),
      ])
    #expect(found.error == nil)
  }

  @Test("a payload is the bytes at the sample's place")
  func deliversPayloads() throws {
    var noise = Noise(seed: 9)
    let media = noise.bytes(1000)
    let sizes = (1...20).map { UInt32($0) }
    let bytes = MovieMaker.progressive([MadeTrack(samples: sizes, at: MovieMaker.mediaStart + 5)], media: media)
    let movie = try opened(bytes)
    var reader = movie.samples(of: movie.tracks[0])
    var place = 5
    for size in sizes {
      let sample = try #require(try reader.next())
      #expect(try Array(sample.payload.load()) == Array(media[place..<(place + Int(size))]))
      #expect(sample.trackID == 1)
      #expect(sample.timing.timescale == 1000)
      place += Int(size)
    }
    #expect(try reader.next() == nil)
    #expect(try movie.byteCount(of: movie.tracks[0]) == 210)
  }

  @Test("tables longer than any window are read across its edges, forwards and after every jump")
  func crossesWindows() throws {
    let count = 10_000
    var track = MadeTrack()
    track.sizes = .each((0..<count).map { UInt32($0 % 3) })
    track.times = (0..<count).map { .init(1, UInt32($0 % 7)) }
    track.offsets = (0..<count).map { .init(1, Int32($0 % 5)) }
    track.chunks = (0..<count).map { .init(UInt32($0 + 1), 1, UInt32($0 % 2 + 1)) }
    track.places = (0..<count).map { UInt64(50 + $0 % 4000) }
    track.syncSamples = (0..<count).filter { $0 % 11 == 0 }.map { UInt32($0 + 1) }
    let expected = (0..<count).map { index in
      let time = Int64(index / 7 * 21 + (0..<index % 7).reduce(0, +))
      return PlainRecord(
        offset: UInt64(50 + index % 4000), size: index % 3, decodeTime: time,
        presentationTime: time + Int64(index % 5), duration: Int64(index % 7), isSync: index % 11 == 0,
        description0: index % 2)
    }
    let movie = try opened(MovieMaker.progressive([track], media: Self.media))
    #expect(Delivery(movie.samples(of: movie.tracks[0])).plain == expected)
    var reader = movie.samples(of: movie.tracks[0])
    for number in [9999, 0, 4095, 4096, 4097, 8191, 8192, 1, 5000] {
      try reader.seek(toSample: UInt64(number))
      #expect(try reader.nextRecord().map { PlainRecord($0) } == expected[number])
      let next = number + 1 < count ? expected[number + 1] : nil
      #expect(try reader.nextRecord().map { PlainRecord($0) } == next)
    }
  }

  @Test("several tracks in any state are each their own: readers do not disturb one another")
  func readersAreIndependent() throws {
    let tracks = [MadeTrack(id: 1, samples: [5, 6, 7], at: 60), MadeTrack(id: 2, samples: [8, 9], at: 90)]
    let movie = try opened(MovieMaker.progressive(tracks, media: Self.media))
    var first = movie.samples(of: movie.tracks[0])
    var second = movie.samples(of: movie.tracks[1])
    #expect(try first.nextRecord()?.size == 5)
    var copy = first
    #expect(try second.nextRecord()?.size == 8)
    #expect(try first.nextRecord()?.size == 6)
    #expect(try copy.nextRecord()?.size == 6)
    #expect(try second.nextRecord()?.size == 9)
    #expect(try second.nextRecord() == nil)
    #expect(try first.nextRecord()?.size == 7)
    #expect(second.state == .completed)
    #expect(first.state == .running)
  }

  @Test("of two tracks with one number each has its own samples")
  func keepsTracksWithOneNumberApart() throws {
    let tracks = [MadeTrack(id: 1, samples: [5, 6, 7], at: 60), MadeTrack(id: 1, samples: [8, 9], at: 90)]
    let movie = try opened(MovieMaker.progressive(tracks, media: Self.media))
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.map(\.size) == [5, 6, 7])
    #expect(Delivery(movie.samples(of: movie.tracks[1])).records.map(\.size) == [8, 9])
  }
}
