import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Files larger than 32 bits, and indexes larger than anyone wants in memory. They are sparse: what was never written
/// takes no room on the disk.
@Suite(.inTurn) struct LargeFileTests {
  private let folder: TemporaryFolder
  private let path: String
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("large.mp4")
    url = URL(fileURLWithPath: path)
  }

  private static let gigabyte: UInt64 = 1 << 30

  /// Writes pieces at their places, and nothing between them.
  private func write(_ pieces: [(place: UInt64, bytes: [UInt8])], size: UInt64) throws {
    try Data().write(to: url)
    let handle = try FileHandle(forWritingTo: url)
    for piece in pieces {
      try handle.seek(toOffset: piece.place)
      try handle.write(contentsOf: Data(piece.bytes))
    }
    try handle.truncate(atOffset: size)
    try handle.close()
  }

  @Test("samples at both ends of a media box of five gigabytes are found through co64")
  func reads64BitOffsets() throws {
    let size = 5 * Self.gigabyte + 77
    let start = UInt64(MovieMaker.fileType.count)
    let marks: [[UInt8]] = [Array("first".utf8), Array("around".utf8), Array("last".utf8)]
    let places = [start + 16, 4 * Self.gigabyte - 3, size - 4]
    var track = MadeTrack(samples: [5, 6, 4], at: 0)
    track.chunks = [.init(1, 1)]
    track.places = places
    track.hasWidePlaces = true
    let moov = MovieMaker.moov([track])
    let header = Plain.u32(1) + Plain.type("mdat") + Plain.u64(size - start)
    for isFirst in [true, false] {
      let shift = isFirst ? UInt64(moov.count) : 0
      track.places = places.map { $0 + shift }
      let moov = MovieMaker.moov([track])
      let media = zip(places, marks).map { (place: $0 + shift, bytes: $1) }
      let index = (place: isFirst ? start : size, bytes: moov)
      try write(
        [(0, MovieMaker.fileType), index, (start + shift, header)] + media, size: size + UInt64(moov.count))
      let movie = try MP4Demuxer(path: path)
      #expect(movie.layout == (isFirst ? .fastStart : .moovLast))
      var reader = movie.samples(of: movie.tracks[0])
      for mark in marks { #expect(try reader.next().map { try Array($0.payload.load()) } == mark) }
      #expect(try reader.next() == nil)
    }
    let blocks = try url.resourceValues(forKeys: [.fileAllocatedSizeKey]).fileAllocatedSize
    #expect(blocks.map { $0 < 1 << 20 } ?? true, "the file is not sparse")
  }

  @Test("fragments after four gigabytes are found, whatever their places count from")
  func readsFarFragments() throws {
    let start = UInt64(MovieMaker.fileType.count)
    let moov = MovieMaker.moov([MadeTrack()], defaults: [.init(1)])
    let far = 6 * Self.gigabyte
    let hole = Plain.u32(1) + Plain.type("free") + Plain.u64(far - start - UInt64(moov.count))
    let samples = [MadeRun.Sample(duration: 10, size: 3)]
    var moofBased = MadeFragment(time: 1 << 40, runs: [MadeRun(dataOffset: 300, samples: samples)])
    moofBased.isBaseMoof = true
    var given = MadeFragment(runs: [MadeRun(dataOffset: 1, samples: samples)])
    given.base = far + 400
    let moof = MadeFragment.moof([moofBased, given])
    try write(
      [
        (0, MovieMaker.fileType + moov + hole), (far, moof + Plain.header("mdat", claiming: 1000)),
        (far + 300, [1, 2, 3]), (far + 401, [4, 5, 6]),
      ], size: far + UInt64(moof.count) + 1000)
    let movie = try MP4Demuxer(path: path)
    var reader = movie.samples(of: movie.tracks[0])
    #expect(try reader.next().map { try Array($0.payload.load()) } == [1, 2, 3])
    let second = try reader.next()
    #expect(try second.map { try Array($0.payload.load()) } == [4, 5, 6])
    #expect(second?.timing.decodeTime == 1_099_511_627_786)
    #expect(try reader.next() == nil)
  }

  /// A movie of so many samples, each a byte long, whose table of sizes lies in a hole but for its last entries.
  private func writeLongIndex(samples count: UInt32) throws {
    var track = MadeTrack()
    track.times = [.init(count, 3)]
    track.chunks = [.init(1, count)]
    track.sizes = .missing
    track.places = [100]
    track.more = Plain.fullBox("stsz", Plain.u32(0), Plain.u32(count))
    let hole = count * 4
    // The table is the last thing in all that is around it: all of that grows with it.
    var moov = MovieMaker.moov([track])
    for type in ["moov", "trak", "mdia", "minf", "stbl", "stsz"] {
      let place = Int(try #require(HostileTableTests.place(of: type, in: moov)))
      let size = moov[place..<(place + 4)].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      moov.replaceSubrange(place..<(place + 4), with: Plain.u32(size + hole))
    }
    let front = MovieMaker.fileType + Plain.box("mdat", [UInt8](repeating: 0xEE, count: 1000)) + moov
    let size = UInt64(front.count) + UInt64(hole)
    try write([(0, front), (size - 8, Plain.u32(500) + Plain.u32(7))], size: size)
  }

  @Test("an index of twenty megabytes is read where it is needed, through windows of a few kilobytes")
  func readsIndexInPieces() throws {
    let count: UInt32 = 5_000_000
    try writeLongIndex(samples: count)
    let source = FaultySource(try FileSource(path: path))
    let movie = try MP4Demuxer(source: source)
    #expect(movie.tracks[0].sampleCount == UInt64(count))
    // Opening reads the boxes, not the tables.
    #expect(source.bytesRead < 100_000)
    var reader = movie.samples(of: movie.tracks[0])
    for _ in 0..<10_000 { _ = try reader.nextRecord() }
    #expect(source.bytesRead < 200_000)
    try reader.seek(toSample: UInt64(count) - 2)
    let found = Delivery(reader)
    #expect(found.records.map(\.size) == [500, 7])
    #expect(found.records.map(\.offset) == [100, 600])
    #expect(found.records.map(\.decodeTime) == [Int64(count) * 3 - 6, Int64(count) * 3 - 3])
    #expect(found.error == nil)
    #expect(try movie.byteCount(of: movie.tracks[0]) == 507)
    // Nothing that was ever held was larger than this.
    #expect(source.largestRead <= 64 << 10)
  }
}
