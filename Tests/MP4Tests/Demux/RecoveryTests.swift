import MP4
import MediaCore
import TestSupport
import Testing

/// Reading that is interrupted gives what reading gives: nothing lost, nothing twice.
@Suite(.inTurn) struct RecoveryTests {
  /// All that a movie has to say of its samples.
  private struct Reading: Equatable {
    struct Track: Equatable {
      let id: UInt32
      var records: [SampleRecord] = []
      var payload = RollingHash()
      /// What is wrong with the track after its last sample.
      var damage: String?
    }
    var tracks: [Track] = []
    var refusal: String?
  }

  /// How payloads are read.
  enum Loading { case oneByOne, gathered }

  /// Asks again, once, when reading was interrupted, as an application would.
  private struct Patience {
    var interruptions = 0

    mutating func ask<Answer>(_ body: () throws -> Answer) throws -> Answer {
      do {
        return try body()
      } catch let error as MP4Error {
        guard case .source(let source) = error.code, source.code == FaultySource.failure else { throw error }
      } catch let error as SourceError where error.code == FaultySource.failure {}
      interruptions += 1
      return try body()
    }
  }

  /// A gatherer that closures can hold.
  private final class Payload {
    private var gatherer = PayloadGatherer(capacity: 256 << 10)
    private(set) var hash = RollingHash()

    func add(_ data: MediaData) -> Bool { gatherer.add(data) }
    func load() throws { try gatherer.load() }

    func take() {
      unsafe gatherer.withBytes { unsafe hash.append($0) }
      gatherer.removeAll()
    }

    func append(_ bytes: ArraySlice<UInt8>) { unsafe bytes.withUnsafeBytes { unsafe hash.append($0) } }
  }

  private static func read(_ reader: SourceReader, _ loading: Loading) throws -> (found: Reading, interruptions: Int) {
    var patience = Patience()
    var reading = Reading()
    do {
      let movie = try patience.ask { try MP4Demuxer(reader: reader) }
      for track in movie.tracks { reading.tracks.append(try read(track, of: movie, loading, &patience)) }
    } catch let error as MP4Error {
      reading.refusal = error.description
    }
    return (reading, patience.interruptions)
  }

  private static func read(
    _ track: Track, of movie: MP4Demuxer, _ loading: Loading, _ patience: inout Patience
  ) throws -> Reading.Track {
    var reading = Reading.Track(id: track.id)
    var samples = movie.samples(of: track)
    let payload = Payload()
    do {
      while let record = try patience.ask({ try samples.nextRecord() }) {
        reading.records.append(record)
        if movie.isExternal(track) { continue }
        let data = MediaData.range(movie.reader, offset: record.offset, count: record.size)
        if loading == .gathered {
          if payload.add(data) { continue }
          try patience.ask { try payload.load() }
          payload.take()
          if payload.add(data) { continue }
        }
        payload.append(try patience.ask { try data.load() })
      }
    } catch let error as MP4Error {
      reading.damage = error.description
    }
    try patience.ask { try payload.load() }
    payload.take()
    reading.payload = payload.hash
    return reading
  }

  @Test("a movie in fragments and in its header reads the same, whichever read fails", arguments: [false, true])
  func survivesEveryReadOfMadeMovies(isFragmented: Bool) throws {
    var noise = Noise(seed: 40)
    let sizes = (0..<12).map { _ in UInt32.random(in: 0...30, using: &noise) }
    var track = MadeTrack(samples: sizes, at: 40)
    track.chunks = [.init(1, 5), .init(2, 3), .init(3, 4)]
    track.places = [40, 400, 200]
    track.offsets = [.init(6, 3), .init(6, 9)]
    track.syncSamples = [9, 1, 4]
    var made = MadeFragments(
      tracks: [track, MadeTrack(id: 2, samples: [7, 7], at: 50)], defaults: [.init(1), .init(2)])
    let run = MadeRun(dataOffset: 10, samples: (1...5).map { .init(duration: 3, size: $0) })
    let fragment = [MadeFragment(id: 1, runs: [run]), MadeFragment(id: 2, time: 500, runs: [run, run])]
    made.fragments = isFragmented ? [fragment, fragment] : []
    made.mediaSize = 1000
    let bytes = made.file().bytes + Plain.box("mdat", noise.bytes(1000))
    let result = try Interruptions(bytes, name: "made.mp4").compare(.every) { try Self.read($0, .oneByOne) }
    #expect(result.differences.isEmpty, "\(result.differences.prefix(5))")
    #expect(result.runs == result.reads * 4 + 2)
  }

  /// Files small enough to be read some hundred times.
  private static let small = OracleMovie.all.filter { (1..<40_000).contains($0.size) && $0.expectation == "read" }

  @Test(
    "a file reads the same, whichever read fails or is cut short",
    .needs(.corpus),
    arguments: small.enumerated().filter { $0.offset % 4 == 0 }.map(\.element))
  func survivesReadsOfSmallFiles(file: OracleMovie) throws {
    let bytes = try file.bytes()
    let result = try Interruptions(bytes, name: file.description).compare(.sampled(40)) { try Self.read($0, .oneByOne) }
    #expect(result.differences.isEmpty, "\(result.differences.prefix(5))")
  }

  /// Every read of every file of the corpus, in some minutes:
  ///
  ///     LYREBIRD_EXHAUSTIVE=1 swift test -c release -Xswiftc -enable-testing --filter RecoveryTests
  ///
  /// Records are compared one by one, payloads by a hash: read in runs, as a muxer reads them, whichever of the reads
  /// fails; and sample by sample, where at least five hundred of the reads fail in turn, all if there are fewer. The
  /// same for ADTS files is in `ADTSRecoveryTests`, which the filter finds too.
  @Test(
    "every file of the corpus reads the same, whichever of all its reads fails or is cut short",
    .needs(.corpus, .patience),
    arguments: OracleMovie.all, [Loading.gathered, .oneByOne])
  func survivesEveryReadOfEveryFile(file: OracleMovie, loading: Loading) throws {
    let bytes = try file.bytes()
    // Some files have tens of thousands of samples of a few bytes: of as many reads a part has to do.
    let extent = loading == .gathered ? Interruptions.Extent.every : .sampled(500)
    let result = try Interruptions(bytes, name: file.description).compare(extent) { try Self.read($0, loading) }
    #expect(result.differences.isEmpty, "\(result.differences.prefix(5))")
    print("\(file), \(loading): \(result.reads) reads, \(result.runs) runs, \(result.differences.count) differences")
  }
}
