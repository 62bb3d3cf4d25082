import MP4
import MediaCore
import TestSupport
import Testing

/// Inputs that once broke a promise, found by `Fuzz/run` or while writing its targets. Each is named after the bug.
@Suite(.inTurn) struct FuzzFindingsTests {
  @Test("a sample beyond the end of the file is reported again, instead of what comes after it")
  func repeatsErrors() throws {
    let table = Bytes.tables(sizes: [4, 1 << 30, 4], chunks: [0, 0, 0])
    let movie = try MP4Demuxer(source: MemorySource(Bytes.fileType + Bytes.movie(Bytes.track(1, table))))
    var reader = movie.samples(of: movie.tracks[0])
    #expect(try reader.nextRecord()?.number == 0)
    for _ in 0..<3 {
      let error = #expect(throws: MP4Error.self) { try reader.nextRecord() }
      #expect(error?.code == .sampleOutsideFile(number: 1, missingBytes: (1 << 30) - movie.reader.size))
    }
    try reader.seek(toSample: 2)
    #expect(try reader.nextRecord()?.number == 2)
  }

  @Test("runs without fields, each of which claims few enough samples, do not add up to billions")
  func boundsBareRuns() throws {
    let run = Bytes.fullBox("trun", Bytes.numbers(100_000))
    let fragment = Bytes.box(
      "moof",
      Bytes.box("traf", Bytes.fullBox("tfhd", flags: 0x20000, Bytes.numbers(1)) + Bytes.repeated(run, 1000)))
    let extends = Bytes.box("mvex", Bytes.fullBox("trex", Bytes.numbers(1, 1, 0, 0, 0)))
    let header = Bytes.movie(Bytes.track(1, Bytes.tables(sizes: [], chunks: [])) + extends)
    let movie = try MP4Demuxer(source: MemorySource(Bytes.fileType + header + fragment))
    // The first of them may be true. What comes after has to share what the file has bytes for.
    #expect(movie.tracks[0].sampleCount == 100_000 + movie.reader.size)
    #expect(movie.defect(of: movie.tracks[0])?.description.contains("claims 100000 entries") == true)
  }

  @Test("samples of a constant size are no more than the file has bytes and chunks, however its chunks overlap")
  func boundsConstantSizes() throws {
    let table =
      Bytes.fullBox("stts", Bytes.numbers(1, .max, 1)) + Bytes.fullBox("stsc", Bytes.numbers(1, 1, 100, 1))
      + Bytes.fullBox("stsz", Bytes.numbers(1, .max))
      + Bytes.fullBox("stco", Bytes.numbers(1000) + Bytes.repeated(Bytes.numbers(0), 1000))
    let movie = try MP4Demuxer(source: MemorySource(Bytes.fileType + Bytes.movie(Bytes.track(1, table))))
    #expect(movie.tracks[0].sampleCount == movie.reader.size + 1000)
    var reader = movie.samples(of: movie.tracks[0])
    let error = #expect(throws: MP4Error.self) { while try reader.nextRecord() != nil {} }
    #expect(error?.path == "moov/trak/mdia/minf/stbl/stsz")
  }

  @Test("the time to open a movie grows with its tracks, not with their square")
  func opensManyTracks() throws {
    let count = 20_000
    let extends = Bytes.box("mvex", Bytes.repeated(Bytes.fullBox("trex", Bytes.numbers(1, 1, 0, 0, 0)), 5000))
    let bytes = Bytes.fileType + Bytes.movie(Bytes.repeated(Bytes.box("trak"), count) + extends)
    let timer = ProcessorTimer()
    let movie = try MP4Demuxer(source: MemorySource(bytes))
    #expect(movie.tracks.count == count)
    for track in movie.tracks { #expect(movie.defect(of: track) == nil) }
    // A second or two without optimization; with a search a track it took minutes.
    #expect(timer.elapsed < .seconds(20))
  }

  @Test("titles of chapters that lie over one another do not fill the memory")
  func boundsTitles() throws {
    let text = [0xFF, 0xFF] + [UInt8](repeating: 0x61, count: 0xFFFF)
    let media = Bytes.box("mdat", text)
    let place = UInt32(Bytes.fileType.count + 8)
    let table = Bytes.tables(
      sizes: Array(repeating: UInt32(text.count), count: 1000), chunks: Array(repeating: place, count: 1000))
    let header = Bytes.movie(
      Bytes.track(1, reference: Bytes.box("tref", Bytes.box("chap", Bytes.numbers(2))))
        + Bytes.track(2, handler: "text", table))
    let movie = try MP4Demuxer(source: MemorySource(Bytes.fileType + media + header))
    let chapters = try movie.chapters()
    #expect(chapters.first?.title.utf8.count == 0xFFFF)
    #expect(chapters.reduce(0) { $0 + $1.title.utf8.count } < 5 << 20)
  }

  @Test(
    "a box that reaches to the end of a file does not swallow what follows it when remuxed",
    arguments: [MovieLayout.fastStart, .moovLast, .fragmented],
    // Zeros that fill a file up read as a box of no type to the end; so do boxes that were cut.
    [[UInt8](repeating: 0, count: 100), [0, 0, 1, 0] + Array("free".utf8) + [7, 8, 9]])
  func remuxesTrailingBoxes(layout: MovieLayout, trailing: [UInt8]) throws {
    let media = Bytes.box("mdat", Array("onetwo".utf8))
    let place = UInt32(Bytes.fileType.count + 8)
    let header = Bytes.movie(Bytes.track(1, Bytes.tables(sizes: [3, 3], chunks: [place, place + 3])))
    let movie = try MP4Demuxer(source: MemorySource(Bytes.fileType + media + header + trailing))
    let folder = try TemporaryFolder()
    var options = Remuxer.Options()
    options.layout = layout
    try Remuxer(from: movie, to: folder.path("out.mp4"), options: options).run()

    let copy = try MP4Demuxer(path: folder.path("out.mp4"))
    var samples = copy.samples(of: try #require(copy.tracks.first))
    #expect(try samples.next()?.payload.load() == [UInt8]("one".utf8)[...])
    #expect(try samples.next()?.payload.load() == [UInt8]("two".utf8)[...])
    #expect(try samples.next() == nil)
    #expect(copy.layout == layout)
  }

  @Test("samples of a track that has no sample table are not lost without a word")
  func refusesToLoseSamples() throws {
    let fragment = Bytes.box(
      "moof",
      Bytes.box(
        "traf", Bytes.fullBox("tfhd", flags: 0x20000, Bytes.numbers(1)) + Bytes.fullBox("trun", Bytes.numbers(2))))
    let track = Bytes.box(
      "trak", Bytes.fullBox("tkhd", Bytes.numbers(0, 0, 1, 0, 0) + [UInt8](repeating: 0, count: 60)))
    let extends = Bytes.box("mvex", Bytes.fullBox("trex", Bytes.numbers(1, 1, 1, 4, 0)))
    let movie = try MP4Demuxer(source: MemorySource(Bytes.fileType + Bytes.movie(track + extends) + fragment))
    #expect(movie.tracks[0].sampleCount == 2)
    let folder = try TemporaryFolder()
    let remuxer = Remuxer(from: movie, to: folder.path("out.mp4"))
    let error = #expect(throws: MP4Error.self) { try remuxer.run() }
    #expect(error?.code == .missingBox("stbl"))
  }

  @Test("samples that no chunk holds do not make a shorter file claim more than it has room for")
  func dropsSamplesWithoutChunks() throws {
    let table =
      Bytes.fullBox("stts", Bytes.numbers(1, 3, 20)) + Bytes.fullBox("stsc", Bytes.numbers(1, 1, 1, 1))
      + Bytes.fullBox("stsz", Bytes.numbers(1000, 3)) + Bytes.fullBox("stco", Bytes.numbers(1, 0))
    let bytes =
      Bytes.fileType + Bytes.movie(Bytes.track(1, table)) + Bytes.box("free", .init(repeating: 0, count: 5000))
    let movie = try MP4Demuxer(source: MemorySource(bytes))
    let folder = try TemporaryFolder()
    try Remuxer(from: movie, to: folder.path("out.mp4")).run()
    let copy = try MP4Demuxer(path: folder.path("out.mp4"))
    #expect(copy.defect(of: copy.tracks[0]) == nil)
    #expect(copy.tracks[0].sampleCount == 1)
    var samples = copy.samples(of: copy.tracks[0])
    #expect(try samples.next()?.payload.load() == bytes[..<1000])
    #expect(try samples.next() == nil)
  }

  @Test("samples of one size that lie over one another do not make a shorter file claim more than it has room for")
  func listsSizesOfSharedBytes() throws {
    let table =
      Bytes.fullBox("stts", Bytes.numbers(1, 9, 20)) + Bytes.fullBox("stsc", Bytes.numbers(1, 1, 3, 1))
      + Bytes.fullBox("stsz", Bytes.numbers(1000, 9)) + Bytes.fullBox("stco", Bytes.numbers(3, 0, 10, 20))
    let free = Bytes.box("free", .init(repeating: 0, count: 10_000))
    let bytes = Bytes.fileType + Bytes.movie(Bytes.track(1, table)) + free
    let movie = try MP4Demuxer(source: MemorySource(bytes))
    let folder = try TemporaryFolder()
    try Remuxer(from: movie, to: folder.path("out.mp4")).run()
    let copy = try MP4Demuxer(path: folder.path("out.mp4"))
    #expect(copy.defect(of: copy.tracks[0]) == nil)
    var samples = copy.samples(of: copy.tracks[0])
    for chunk in [0, 10, 20] {
      for start in [chunk, chunk + 1000, chunk + 2000] {
        #expect(try samples.next()?.payload.load() == bytes[start..<(start + 1000)])
      }
    }
    #expect(try samples.next() == nil)
  }

  @Test("a gap between fragments survives when fragments are joined to longer ones")
  func keepsGaps() throws {
    func fragment(at time: UInt32) -> [UInt8] {
      Bytes.box(
        "moof",
        Bytes.box(
          "traf",
          Bytes.fullBox("tfhd", flags: 0x20000, Bytes.numbers(1)) + Bytes.fullBox("tfdt", Bytes.numbers(time))
            + Bytes.fullBox("trun", Bytes.numbers(2))))
    }
    let extends = Bytes.box("mvex", Bytes.fullBox("trex", Bytes.numbers(1, 1, 10, 4, 0)))
    let header = Bytes.movie(Bytes.track(1, Bytes.tables(sizes: [], chunks: [])) + extends)
    let bytes = Bytes.fileType + header + fragment(at: 0) + fragment(at: 50) + fragment(at: 70)
    let folder = try TemporaryFolder()
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentDuration = 10
    try Remuxer(from: MP4Demuxer(source: MemorySource(bytes)), to: folder.path("out.mp4"), options: options).run()

    let copy = try MP4Demuxer(path: folder.path("out.mp4"))
    var samples = copy.samples(of: copy.tracks[0])
    var times: [Int64] = []
    while let record = try samples.nextRecord() { times.append(record.decodeTime) }
    #expect(times == [0, 10, 50, 60, 70, 80])
  }
}

/// Just enough of a writer to make hostile files: it says what it is told, true or not.
private enum Bytes {
  static let fileType = box("ftyp", Array("isom".utf8) + numbers(0))

  static func numbers(_ values: UInt32...) -> [UInt8] { numbers(values) }

  static func numbers(_ values: [UInt32]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { bytes.appendBigEndian(value) }
    return bytes
  }

  static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    Array(repeatElement(bytes, count: count).joined())
  }

  static func box(_ type: String, _ payload: [UInt8] = []) -> [UInt8] {
    numbers(UInt32(payload.count + 8)) + Array(type.utf8) + payload
  }

  static func fullBox(_ type: String, flags: UInt32 = 0, _ payload: [UInt8]) -> [UInt8] {
    box(type, numbers(flags) + payload)
  }

  static func movie(_ content: [UInt8]) -> [UInt8] {
    box("moov", fullBox("mvhd", numbers(0, 0, 1000, 0) + [UInt8](repeating: 0, count: 80)) + content)
  }

  /// A track of samples that last one tick each and lie in a chunk each.
  static func tables(sizes: [UInt32], chunks: [UInt32]) -> [UInt8] {
    let count = UInt32(sizes.count)
    return fullBox("stts", numbers(1, count, 1)) + fullBox("stsc", numbers(1, 1, 1, 1))
      + fullBox("stsz", numbers(0, count) + numbers(sizes)) + fullBox("stco", numbers(count) + numbers(chunks))
  }

  static func track(_ id: UInt32, handler: String = "vide", reference: [UInt8] = [], _ tables: [UInt8] = []) -> [UInt8]
  {
    let entry = box("xxxx", numbers(0, 1))
    let media =
      fullBox("mdhd", numbers(0, 0, 1000, 0, 0))
      + fullBox("hdlr", numbers(0) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
      + box("minf", box("stbl", fullBox("stsd", numbers(1) + entry) + tables))
    return box(
      "trak",
      fullBox("tkhd", numbers(0, 0, id, 0, 0) + [UInt8](repeating: 0, count: 60)) + reference + box("mdia", media))
  }
}
