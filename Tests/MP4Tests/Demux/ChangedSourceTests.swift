import Foundation
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// Movies that somebody changes while another file is made of them.
@Suite(.inTurn)
struct ChangedSourceTests {
  private let folder: TemporaryFolder
  private let input: String
  private let output: String

  init() throws {
    folder = try TemporaryFolder()
    input = folder.path("in.mp4")
    output = folder.path("out.mp4")
  }

  /// A movie long enough for progress to be told before all of it is written.
  private static func movie() -> [UInt8] {
    var track = MadeTrack(samples: [1_000_000, 1_000_000], at: MovieMaker.mediaStart)
    track.chunks = [.init(1, 2)]
    return MovieMaker.progressive([track], media: [UInt8](repeating: 5, count: 2_000_000))
  }

  private static func fragmented(_ fragments: Int) -> [UInt8] {
    var bytes = MovieMaker.fileType + MovieMaker.moov([MadeTrack()], defaults: [.init(1, duration: 100, size: 300_000)])
    for number in 0..<fragments {
      func moof(_ offset: Int32) -> [UInt8] {
        var fragment = MadeFragment(
          time: UInt64(number * 100), runs: [MadeRun(dataOffset: offset, fields: 0, samples: [.init()])])
        fragment.isBaseMoof = true
        return MadeFragment.moof([fragment], number: UInt32(number + 1))
      }
      bytes += moof(Int32(moof(0).count + 8)) + Plain.box("mdat", [UInt8](repeating: UInt8(number), count: 300_000))
    }
    return bytes
  }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: input))
  }

  private func remux(_ layout: MovieLayout, _ change: () throws -> Void) throws {
    var options = Remuxer.Options()
    options.layout = layout
    var hasChanged = false
    try Remuxer(from: MP4Demuxer(path: input), to: output, options: options).run { _, _ in
      if !hasChanged { try change() }
      hasChanged = true
    }
    #expect(hasChanged)
  }

  private func over(_ offset: UInt64, _ bytes: [UInt8]) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: input))
    try handle.seek(toOffset: offset)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  @Test(
    "a movie that changes or grows while it is remuxed is an error, and there is no output",
    arguments: [MovieLayout.fastStart, .moovLast, .fragmented], [UInt64(40), 10_000_000])
  func refusesChanges(layout: MovieLayout, offset: UInt64) throws {
    try write(Self.movie())
    let size = try FileSource(path: input).size
    let error = #expect(throws: MP4Error.self) { try remux(layout) { try over(min(offset, size), [6]) } }
    #expect(error?.code == .source(SourceError(.changed, name: input)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["in.mp4"])
  }

  @Test("a recording that goes on while it is remuxed gives what there was of it in the beginning")
  func followsRecordings() throws {
    let (short, long) = (Self.fragmented(8), Self.fragmented(9))
    #expect(long.starts(with: short))
    try write(short)
    try remux(.fastStart) { try over(UInt64(short.count), Array(long.dropFirst(short.count))) }
    let movie = try MP4Demuxer(path: output)
    #expect(movie.layout == .fastStart)
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.map(\.size) == Array(repeating: 300_000, count: 8))
  }

  @Test("a movie in fragments that is replaced by a longer one, in the same file, is not taken for one that goes on")
  func refusesOtherFragments() throws {
    try write(Self.fragmented(8))
    var other = Self.fragmented(9)
    other.insert(contentsOf: Plain.box("free", []), at: MovieMaker.fileType.count)
    let error = #expect(throws: MP4Error.self) { try remux(.fastStart) { try over(0, other) } }
    #expect(error?.code == .source(SourceError(.changed, name: input)))
  }

  /// A source that says that it was changed.
  private struct ChangedSource: ByteSource {
    let size: UInt64 = 100
    let name = "made.mp4"
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int { 0 }
    func reopen() throws(SourceError) {}
    func change() throws(SourceError) -> SourceChange { .changed }
  }

  @Test("what looks like damage in a file that was changed meanwhile is called a change; what the output says is not")
  func namesTheCause() {
    let source = ChangedSource()
    let changed = MP4Error(SourceError(.changed, name: "made.mp4"))
    #expect(MP4Error(.timeOverflow, file: "made.mp4").unlessChanged(source) == changed)
    let full = MP4Error(.sink(SinkError(.writeFailed(28), name: "out.mp4")), file: "out.mp4")
    #expect(full.unlessChanged(source) == full)
    #expect(MP4Error(.timeOverflow).unlessChanged(MemorySource([], name: "")).code == .timeOverflow)
  }
}
