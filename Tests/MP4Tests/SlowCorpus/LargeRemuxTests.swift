import Foundation
import MediaCore
import TestSupport
import Testing

@testable import MP4

/// Outputs larger than 32 bits. They are planned and read, but never written.
@Suite(.inTurn) struct LargeRemuxTests {
  private let folder: TemporaryFolder
  private let path: String
  private static let sizes: [UInt32] = [900 << 20, 5, 1500 << 20, 1 << 20, 3_000_000_000, 7, 600 << 20]

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("large.mp4")
  }

  /// Bytes that a sample begins and ends with.
  private static func mark(_ track: Int, _ sample: Int) -> [UInt8] { [UInt8(track + 1), UInt8(sample + 1)] }

  /// Two tracks whose samples follow one another in turn through some gigabytes, all of them a hole but for their ends.
  private func write() throws {
    var (tracks, marks): ([MadeTrack], [(UInt64, [UInt8])]) = ([], [])
    var place = UInt64(MovieMaker.fileType.count) + 16
    for number in 0..<2 {
      var track = MadeTrack(id: UInt32(number + 1), samples: Self.sizes, at: 0, delta: 1000)
      track.chunks = [.init(1, 1)]
      track.hasWidePlaces = true
      track.places = []
      tracks.append(track)
    }
    for (sample, size) in Self.sizes.enumerated() {
      for number in 0..<2 {
        tracks[number].places.append(place)
        marks.append((place, Self.mark(number, sample)))
        place += UInt64(size)
        marks.append((place - 2, Self.mark(number, sample)))
      }
    }
    let start = UInt64(MovieMaker.fileType.count)
    try Data(MovieMaker.fileType).write(to: URL(fileURLWithPath: path))
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    marks.append((start, Plain.u32(1) + Plain.type("mdat") + Plain.u64(place - start)))
    marks.append((place, MovieMaker.moov(tracks)))
    for (place, bytes) in marks {
      try handle.seek(toOffset: place)
      try handle.write(contentsOf: Data(bytes))
    }
    try handle.close()
  }

  @Test(
    "samples that fill ten gigabytes are found in every layout, whatever their size",
    arguments: [MovieLayout.fastStart, .moovLast, .fragmented])
  func remuxes(layout: MovieLayout) throws {
    try write()
    let movie = try MP4Demuxer(path: path)
    var options = Remuxer.Options()
    options.layout = layout
    let (plan, _) = try Remuxer(from: movie, to: "", options: options).plan()
    #expect(plan.count > 10 << 30)
    let copy = try MP4Demuxer(source: PlanSource(plan))
    #expect(copy.layout == layout && copy.tracks.count == 2)
    for (number, track) in copy.tracks.enumerated() {
      var samples = copy.samples(of: track)
      for (index, size) in Self.sizes.enumerated() {
        let record = try #require(try samples.nextRecord())
        #expect(record.size == Int(size) && record.decodeTime == Int64(index) * 1000)
        for place in [record.offset, record.offset + UInt64(size) - 2] {
          #expect(try copy.reader.bytes(at: place, count: 2) == Self.mark(number, index), "sample \(index)")
        }
      }
      #expect(try samples.nextRecord() == nil)
    }
  }

  @Test(
    "a sparse file of many gigabytes with few samples becomes a small one",
    arguments: [MovieLayout.fastStart, .moovLast, .fragmented])
  func shrinks(layout: MovieLayout) throws {
    let size: UInt64 = 5 << 30
    var track = MadeTrack(samples: [5, 7], at: 0)
    track.chunks = [.init(1, 1)]
    track.places = [MovieMaker.mediaStart + 8, size - 7]
    track.hasWidePlaces = true
    let start = UInt64(MovieMaker.fileType.count)
    let front = MovieMaker.fileType + Plain.u32(1) + Plain.type("mdat") + Plain.u64(size - start) + Array("first".utf8)
    try Data(front).write(to: URL(fileURLWithPath: path))
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.seek(toOffset: size - 7)
    try handle.write(contentsOf: Data("at last".utf8) + Data(MovieMaker.moov([track])))
    try handle.close()
    var options = Remuxer.Options()
    options.layout = layout
    let output = folder.path("out.mp4")
    let summary = try Remuxer(from: try MP4Demuxer(path: path), to: output, options: options).run()
    #expect(summary.bytes < 2000)
    let copy = try MP4Demuxer(path: output)
    var samples = copy.samples(of: copy.tracks[0])
    for text in ["first", "at last"] {
      #expect(try samples.next().map { try Array($0.payload.load()) } == Array(text.utf8))
    }
  }
}

/// What a plan would write, read without writing it.
private struct PlanSource: ByteSource {
  let plan: OutputPlan
  let name = "a plan"
  var size: UInt64 { plan.count }

  init(_ plan: OutputPlan) {
    self.plan = plan
  }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    var start: UInt64 = 0
    for piece in plan.pieces {
      let count: UInt64
      switch piece {
      case .bytes(let bytes): count = UInt64(bytes.count)
      case .range(_, _, let length): count = length
      }
      defer { start += count }
      guard offset >= start, offset < start + count else { continue }
      let room = Int(min(UInt64(buffer.count), start + count - offset))
      switch piece {
      case .bytes(let bytes): unsafe buffer.copyBytes(from: bytes[Int(offset - start)...].prefix(room))
      case .range(let reader, let place, _):
        unsafe buffer.copyBytes(from: try reader.bytes(at: place + (offset - start), count: room))
      }
      return room
    }
    return 0
  }

  func reopen() throws(SourceError) {}
}
