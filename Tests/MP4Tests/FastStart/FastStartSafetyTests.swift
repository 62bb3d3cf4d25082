import Foundation
import ISOBMFF
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// Moving an index in place when others want the file too, when the file system refuses, and when samples lie where
/// they should not.
@Suite(.inTurn)
struct FastStartSafetyTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("movie.mp4")
  }

  /// A movie of a hundred samples of noise, the last of which reaches so far beyond the media.
  private static func movie(reaching beyond: Int = 0) -> [UInt8] {
    var noise = Noise(seed: 8)
    var track = MadeTrack(samples: [UInt32](repeating: 300, count: 100), at: MovieMaker.mediaStart)
    track.chunks = [.init(1, 10)]
    track.places = (0..<10).map { MovieMaker.mediaStart + UInt64($0 * 3000) }
    return MovieMaker.progressive([track], media: noise.bytes(30_000 - beyond))
  }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func content() throws -> [String] {
    let movie = try MP4Demuxer(path: path)
    var samples = movie.samples(of: movie.tracks[0])
    var lines: [String] = []
    while let sample = try samples.next() { lines.append("\(sample.timing) \(try sample.payload.load())") }
    return lines
  }

  @Test(
    "two that move the index of one file at the same time leave a whole movie, whoever is first",
    .needs(.insertion))
  func twoAtOnce() async throws {
    let bytes = Self.movie()
    try write(bytes)
    let before = try content()
    for _ in 0..<5 {
      try write(bytes)
      let path = path
      let outcomes = try await withThrowingTaskGroup(of: FastStart.Outcome?.self) { group in
        for _ in 0..<2 {
          group.addTask {
            do { return try FastStart(path: path).run() } catch let error as MP4Error {
              // On a busy machine the other one may take longer than it is waited for.
              guard error.code == .sink(SinkError(.inUse, name: path)) else { throw error }
              return nil
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(try content() == before, "\(outcomes)")
      let moved = outcomes.filter { if case .moved? = $0 { true } else { false } }
      #expect(moved.count == 1, "\(outcomes)")
    }
  }

  @Test("a file that is being read is refused, with what to do, and stays as it was")
  func refusesWhatIsRead() throws {
    let bytes = Self.movie()
    try write(bytes)
    let reader = try MP4Demuxer(path: path)
    let error = #expect(throws: MP4Error.self) { try FastStart(path: path).run() }
    #expect(error?.code == .sink(SinkError(.inUse, name: path)))
    #expect(error?.description.contains("try again") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
    withExtendedLifetime(reader) {}
  }

  @Test(
    "a step that is refused, and whose undoing is refused too, ends in an error that says so, and the movie is whole",
    .needs(.insertion))
  func stopsWhereUndoingFails() throws {
    let original = Self.movie()
    try write(original)
    let before = try content()
    let steps = try #require(try FastStartPlan(MP4Demuxer(path: path), blockSize: 4096)).steps
    // Nothing is inserted at places within a block.
    let refused = FileEdit.insert(1, at: 1)
    for index in steps.indices {
      for done in 0...steps[index].undo.count {
        try write(original)
        let editor = try EditableFile(path: path)
        for step in steps[..<index] { #expect(try editor.apply(step.edit)) }
        let failing = EditStep(edit: refused, undo: Array(steps[index].undo.prefix(done)) + [refused])
        let error = #expect(throws: MP4Error.self) { try editor.perform([failing]) }
        #expect(error?.code == .leftHalfMoved(nil))
        #expect(error?.description.contains("the movie is intact") == true)
        #expect(try content() == before, "step \(index), \(done) undone")
        guard done == 1 else { continue }
        try FastStart(path: path).run()
        #expect(try content() == before)
      }
    }
  }

  @Test("a movie whose samples reach into the index after them is not moved in place", arguments: [1, 200, 299])
  func leavesSamplesInTheIndex(beyond: Int) throws {
    try write(Self.movie(reaching: beyond))
    let before = try content()
    #expect(before.count == 100)
    #expect(try FastStartPlan(MP4Demuxer(path: path), blockSize: 512) == nil)
    #expect(try FastStart(path: path).run() == .rewritten)
    #expect(try content() == before)
  }

  @Test("an output in which samples are missing, or lie elsewhere, is told from one that reads like the movie")
  func comparesWithPlan() throws {
    let movie = try opened(Self.movie())
    var good = OutputPlan()
    good.append(movie.reader, offset: 0, count: movie.reader.size)
    try good.checkSamples(of: movie, limits: BoxLimits())
    // Two stretches of the media have changed places.
    var swapped = OutputPlan()
    swapped.append(movie.reader, offset: 0, count: 1000)
    swapped.append(movie.reader, offset: 2000, count: 1000)
    swapped.append(movie.reader, offset: 1000, count: 1000)
    swapped.append(movie.reader, offset: 3000, count: movie.reader.size - 3000)
    var track = MadeTrack(samples: [UInt32](repeating: 300, count: 99), at: MovieMaker.mediaStart)
    track.chunks = [.init(1, 99)]
    var short = OutputPlan()
    short.append(movie.reader, offset: 0, count: MovieMaker.mediaStart + 30_000)
    short.append(MovieMaker.moov([track]))
    var none = OutputPlan()
    none.append(MovieMaker.fileType)
    for plan in [swapped, short, none] {
      let error = #expect(throws: MP4Error.self) { try plan.checkSamples(of: movie, limits: BoxLimits()) }
      #expect(error?.code == .cannotBeCarriedOver)
    }
  }

  @Test(
    "what is last in a file, where programs look for it, is last when the index was moved in place",
    .needs(.insertion))
  func keepsTheEnd() throws {
    let last = Plain.box("sefd", Array("of the camera SEFT".utf8))
    try write(Self.movie() + last)
    let before = try content()
    guard case .moved = try FastStart(path: path).run() else {
      Issue.record("not in place")
      return
    }
    #expect(try content() == before)
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))).suffix(last.count).elementsEqual(last))
  }

  @Test("a file that names places in its metadata is written anew: in place they would be wrong")
  func rewritesNamedPlaces() throws {
    try write(try RemuxedBoxTests.withAuxiliaryTracks(Self.movie()))
    #expect(try FastStart(path: path).run() == .rewritten)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(try RemuxedBoxTests.namedPlace(in: bytes) == HostileTableTests.place(of: "axte", in: bytes))
  }
}
