import MP4
import MediaCore
import TestSupport
import Testing

/// The life of a reader: unknown, running, completed, failed, cancelled.
@Suite(.inTurn) struct ReaderStateTests {
  private static let media = [UInt8](repeating: 5, count: 100)
  private static let bytes = MovieMaker.progressive([MadeTrack(samples: [10, 20, 30], at: 50)], media: media)

  private func reader() throws -> SampleReader {
    let movie = try opened(Self.bytes)
    return movie.samples(of: movie.tracks[0])
  }

  @Test("a reader runs from its first sample to its end, and says the end again")
  func completes() throws {
    var reader = try reader()
    #expect(reader.state == .unknown)
    for _ in 0..<3 {
      #expect(try reader.next() != nil)
      #expect(reader.state == .running)
    }
    for _ in 0..<3 {
      #expect(try reader.next() == nil)
      #expect(reader.state == .completed)
    }
  }

  @Test("a reader that has completed starts again where it is told to")
  func startsAgain() throws {
    var reader = try reader()
    while try reader.nextRecord() != nil {}
    try reader.seek(toSample: 1)
    #expect(reader.state == .unknown)
    #expect(try reader.nextRecord()?.number == 1)
    #expect(reader.state == .running)
    try reader.seek(toSample: 3)
    #expect(try reader.nextRecord() == nil)
    try reader.seek(toSample: .max)
    #expect(try reader.nextRecord() == nil)
    try reader.seek(toSample: 0)
    #expect(try reader.nextRecord()?.number == 0)
  }

  @Test("a cancelled reader gives an error whatever is asked of it, and its copies go on")
  func cancels() throws {
    var reader = try reader()
    #expect(try reader.next() != nil)
    var copy = reader
    reader.cancel()
    #expect(reader.state == .cancelled)
    for _ in 0..<2 {
      let error = #expect(throws: MP4Error.self) { try reader.next() }
      #expect(error?.code == .cancelled)
    }
    #expect(throws: MP4Error.self) { try reader.seek(toSample: 0) }
    #expect(throws: MP4Error.self) { try reader.seek(to: .zero) }
    #expect(reader.state == .cancelled)
    #expect(try copy.nextRecord()?.number == 1)
  }

  @Test("a reader of a track that the movie does not have says so, whenever it is asked")
  func missesTrack() throws {
    let movie = try opened(Self.bytes)
    var reader = movie.samples(of: Track(id: 9, kind: .audio, timescale: 1000))
    for _ in 0..<2 {
      let error = #expect(throws: MP4Error.self) { try reader.next() }
      #expect(error?.code == .noSuchTrack)
      #expect(error?.trackID == 9)
    }
    #expect(reader.state == .failed)
    let error = #expect(throws: MP4Error.self) { try reader.seek(to: .zero) }
    #expect(error?.code == .noSuchTrack)
  }

  /// Its offsets count in the other file: the bytes there in this one are something else.
  @Test("a track whose samples are in another file has records, and an error in place of bytes")
  func refusesBytesOfOtherFiles() throws {
    var track = MadeTrack(samples: [10, 20, 30], at: 50)
    track.dataReferenceFlags = 0
    let movie = try opened(MovieMaker.progressive([track], media: Self.media))
    #expect(movie.isExternal(movie.tracks[0]))
    var reader = movie.samples(of: movie.tracks[0])
    for _ in 0..<2 {
      let error = #expect(throws: MP4Error.self) { try reader.next() }
      #expect(error?.code == .externalData)
      #expect(error?.trackID == 1)
      #expect(reader.state == .failed)
    }
    try reader.seek(toSample: 0)
    #expect(try reader.nextRecord()?.size == 10)
  }

  @Test("cancelling what has completed changes nothing")
  func staysCompleted() throws {
    var reader = try reader()
    while try reader.next() != nil {}
    reader.cancel()
    #expect(reader.state == .completed)
    #expect(try reader.next() == nil)
  }

  @Test("an interrupted reader has failed, and runs on after the last sample it delivered")
  func runsOnAfterInterruptions() throws {
    // Every sample in a chunk of its own, in more chunks than a window holds: there are reads on the way.
    let count = 9000
    var track = MadeTrack()
    track.sizes = .constant(1, count: UInt32(count))
    track.times = [.init(UInt32(count), 1)]
    track.chunks = [.init(1, 1)]
    track.places = (0..<count).map { UInt64($0 % 90 + 50) }
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let quiet = FaultySource(MemorySource(bytes))
    let opening = try MP4Demuxer(reader: SourceReader(quiet, attempts: 0))
    let before = quiet.reads
    let expected = Delivery(opening.samples(of: opening.tracks[0])).records
    #expect(expected.count == count)
    #expect(quiet.reads > before + 2)
    for failing in before..<quiet.reads {
      let source = FaultySource(MemorySource(bytes), .failing(failing))
      let movie = try MP4Demuxer(reader: SourceReader(source, attempts: 0))
      var reader = movie.samples(of: movie.tracks[0])
      var records: [SampleRecord] = []
      let error = #expect(throws: MP4Error.self) { while let next = try reader.nextRecord() { records.append(next) } }
      #expect(error?.code == .source(SourceError(FaultySource.failure, name: "memory", offset: error?.offset)))
      #expect(reader.state == .failed)
      // Still broken: asking again fails again.
      #expect(throws: MP4Error.self) { try reader.nextRecord() }
      try source.reopen()
      while let next = try reader.nextRecord() { records.append(next) }
      #expect(records == expected)
      #expect(reader.state == .completed)
    }
  }

  @Test("a source that is another one after reopening ends reading with that word")
  func refusesChangedSources() throws {
    let quiet = FaultySource(MemorySource(Self.bytes))
    _ = try MP4Demuxer(source: quiet)
    var faults = FaultySource.Faults.failing(quiet.reads)
    faults.isChanged = true
    let movie = try MP4Demuxer(source: FaultySource(MemorySource(Self.bytes), faults))
    var reader = movie.samples(of: movie.tracks[0])
    let error = #expect(throws: MP4Error.self) { try reader.nextRecord() }
    guard case .source(let source)? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(source.code == .changed)
  }

  @Test(
    "what is no movie is refused with what it is instead",
    arguments: [
      ([], .empty),
      (MovieMaker.fileType + Plain.box("mdat", media), .cut),
      (MovieMaker.fileType + Plain.header("free", claiming: 100), .cut),
      (Plain.box("styp", Plain.type("msdh"), Plain.u32(0)) + MadeFragment.moof([]), .mediaSegment),
      (Plain.box("ftyp", Plain.type("heic"), Plain.u32(0), Plain.type("mif1")), .image),
      (Array("RIFF is another thing altogether".utf8), .unknown),
      ([0], .unknown),
    ] as [([UInt8], MP4Error.Instead)])
  func saysWhatElse(bytes: [UInt8], instead: MP4Error.Instead) throws {
    let error = #expect(throws: MP4Error.self) { try opened(bytes) }
    #expect(error?.code == .noMovie(instead))
    #expect(error?.description.hasPrefix("made.mp4: no movie in this file: ") == true)
  }

  @Test("a file that is missing, or a folder, is said as such")
  func saysWhatIsMissing() throws {
    let error = #expect(throws: MP4Error.self) { try MP4Demuxer(path: "/nowhere/tune.mp4") }
    #expect(error?.description == "/nowhere/tune.mp4: no such file")
    #expect(throws: MP4Error.self) { try MP4Demuxer(path: "/") }
  }
}
