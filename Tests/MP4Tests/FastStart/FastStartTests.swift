import Foundation
import ISOBMFF
import MediaCore
import TestSupport
import Testing

@testable import MP4

/// Moving an index in place: at each step, and whatever a crash leaves of it, there is a whole movie.
@Suite(.inTurn) struct FastStartTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("movie.mp4")
  }

  // MARK: Movies

  enum Shape: String, CaseIterable, CustomTestStringConvertible {
    case plain, largeHeader, boxesBehind, secondMedia, mediaBesideBlock
    var testDescription: String { rawValue }
  }

  /// A movie of two tracks with chunks of 1500 bytes in turn, so that some chunk lies across the first block's end.
  private static func movie(_ shape: Shape) -> [UInt8] {
    var noise = Noise(seed: 5)
    let media = noise.bytes(30_000)
    // As far into the first block as makes media begin at its end, or somewhere in it.
    let lead = shape == .mediaBesideBlock ? Plain.box("free", [UInt8](repeating: 0, count: 4096 - 20 - 8 - 8)) : []
    let header = shape == .largeHeader ? 16 : 8
    let start = UInt64(MovieMaker.fileType.count + lead.count + header)
    let tracks = (0..<2).map { number in
      var track = MadeTrack(id: UInt32(number + 1), samples: [UInt32](repeating: 300, count: 50), at: 0)
      track.chunks = [.init(1, 5)]
      track.places = (0..<10).map { start + UInt64($0 * 3000 + number * 1500) }
      track.hasWidePlaces = number == 1
      return track
    }
    let box = shape == .largeHeader ? Plain.largeBox("mdat", media) : Plain.box("mdat", media)
    let unknown = Plain.box("uuid", [UInt8](repeating: 0xAB, count: 16), Array("precious".utf8))
    let between = shape == .secondMedia ? Plain.box("mdat", noise.bytes(5000)) + unknown : []
    let behind = shape == .boxesBehind ? unknown + Plain.box("free", [1, 2, 3]) + Plain.box("abcd", [4, 5]) : []
    return MovieMaker.fileType + lead + box + between + MovieMaker.moov(tracks) + behind
  }

  /// Everything about a movie but where it lies in the file.
  private func content() throws -> [String] {
    let movie = try MP4Demuxer(path: path)
    var lines = movie.extraBoxes.map { "box \($0.type) \($0.payloadSize)" }
    for track in movie.tracks {
      var samples = movie.samples(of: track)
      while let sample = try samples.next() {
        lines.append("\(track.id) \(sample.timing) \(sample.isSync) \(try sample.payload.load())")
      }
    }
    return lines
  }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func plan() throws -> [EditStep] {
    let plan = try FastStartPlan(try MP4Demuxer(path: path), blockSize: 4096)
    return try #require(plan).steps
  }

  // MARK: Tests

  @Test(
    "the movie is whole before and after each step, and in front at the end",
    .needs(.insertion), arguments: Shape.allCases)
  func stepByStep(shape: Shape) throws {
    try write(Self.movie(shape))
    let before = try content()
    let editor = try EditableFile(path: path)
    for (number, step) in try plan().enumerated() {
      #expect(try editor.apply(step.edit))
      #expect(try content() == before, "after step \(number)")
    }
    let movie = try MP4Demuxer(path: path)
    #expect(movie.layout == .fastStart)
    #expect(movie.issues.isEmpty)
    #expect(try FastStart(path: path).run() == .alreadyInFront)
  }

  @Test(
    "what was written since the last sync may be lost, in any combination", .needs(.insertion),
    arguments: Shape.allCases)
  func powerFailures(shape: Shape) throws {
    let original = Self.movie(shape)
    try write(original)
    let before = try content()
    let edits = try plan().map(\.edit)
    var states = 0
    for count in 1...edits.count {
      // The disk has all up to the last sync; of what follows, the journal keeps all but writes in order.
      let synced = edits[..<count].lastIndex(of: .sync) ?? 0
      let writes = (synced..<count).filter { if case .write = edits[$0] { true } else { false } }
      for lost in 0..<(1 << writes.count) {
        try write(original)
        let editor = try EditableFile(path: path)
        for (index, edit) in edits[..<count].enumerated() {
          if let bit = writes.firstIndex(of: index), lost >> bit & 1 == 1 { continue }
          #expect(try editor.apply(edit))
        }
        states += 1
        #expect(try content() == before, "\(count) steps, lost \(lost)")
      }
    }
    #expect(states >= 20)
    // The old index is overwritten where it lies on the disk: that may get there before the insertion does.
    try write(original)
    let editor = try EditableFile(path: path)
    let moov = try MP4Demuxer(path: path).moov.header.offset
    for edit in edits {
      if case .insert = edit { break }
      #expect(try editor.apply(edit))
    }
    #expect(try editor.apply(.write(Plain.type("free"), at: moov + 4)))
    #expect(try content() == before)
  }

  @Test(
    "a step that fails leaves the file as it was, byte for byte", .needs(.insertion),
    arguments: Shape.allCases)
  func takesBack(shape: Shape) throws {
    let original = Self.movie(shape)
    try write(original)
    let steps = try plan()
    let failing = steps.indices.filter { !steps[$0].undo.isEmpty }
    // All up to the room's blocks, which is the last step that a full disk can stop.
    #expect(failing.count >= steps.count - 7)
    for index in failing {
      try write(original)
      let editor = try EditableFile(path: path)
      for step in steps[..<index] { #expect(try editor.apply(step.edit)) }
      // A step that cannot be made: nothing is inserted at places within a block.
      let failed = EditStep(edit: .insert(1, at: 1), undo: steps[index].undo)
      #expect(try !editor.perform([failed]))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(original), "step \(index)")
    }
  }

  @Test(
    "a movie that was left at any step is finished by the next run", .needs(.insertion),
    arguments: Shape.allCases)
  func goesOn(shape: Shape) throws {
    let original = Self.movie(shape)
    try write(original)
    let before = try content()
    let count = try plan().count
    for stop in 0..<count {
      try write(original)
      let editor = try EditableFile(path: path)
      for step in try plan()[..<stop] { #expect(try editor.apply(step.edit)) }
      try FastStart(path: path).run()
      #expect(try content() == before, "stopped after \(stop)")
      #expect(try MP4Demuxer(path: path).layout == .fastStart)
    }
  }

  @Test(
    "ffmpeg reads the same packets at each step",
    .needs(.insertion, .ffmpeg))
  func ffmpegAgrees() throws {
    try MadeMedia.movie(path, seconds: 4)
    let before = try packets()
    #expect(before.count > 100)
    let editor = try EditableFile(path: path)
    for (number, step) in try plan().enumerated() {
      #expect(try editor.apply(step.edit))
      #expect(try packets() == before, "after step \(number)")
    }
  }

  private func packets() throws -> [String] {
    let result = try Tool.ffmpeg.run([
      "-nostdin", "-v", "error", "-ignore_editlist", "1", "-i", path, "-map", "0", "-c", "copy", "-f", "framemd5", "-",
    ])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("offsets into another file stay what they are", .needs(.insertion))
  func keepsOffsetsIntoOtherFiles() throws {
    let start = UInt64(MovieMaker.fileType.count + 8)
    let own = MadeTrack(id: 1, samples: [300, 300], at: start)
    var other = MadeTrack(id: 2, samples: [300, 300], at: start + 5000)
    other.dataReferenceFlags = 0
    var noise = Noise(seed: 6)
    try write(MovieMaker.fileType + Plain.box("mdat", noise.bytes(30_000)) + MovieMaker.moov([own, other]))
    guard case .moved(let inserted) = try FastStart(path: path).run() else {
      Issue.record("the index was not moved in place")
      return
    }
    let movie = try MP4Demuxer(path: path)
    for (track, offset) in zip(movie.tracks, [start + inserted, start + 5000]) {
      #expect(Delivery(movie.samples(of: track)).records.map(\.offset) == [offset, offset + 300])
    }
  }

  @Test("offsets that no longer fit 32 bits get 64", .needs(.insertion))
  func widensOffsets() throws {
    let size = (UInt64(4) << 30) - 6000
    var track = MadeTrack(samples: [5, 7], at: 0)
    track.chunks = [.init(1, 1)]
    let start = UInt64(MovieMaker.fileType.count)
    track.places = [start + 16, size - 7]
    let moov = MovieMaker.moov([track])
    try write(MovieMaker.fileType + Plain.u32(1) + Plain.type("mdat") + Plain.u64(size - start) + Array("first".utf8))
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.seek(toOffset: size - 7)
    try handle.write(contentsOf: Data("at last".utf8) + Data(moov))
    try handle.close()
    let before = try content()
    #expect(before.count == 2)
    guard case .moved = try FastStart(path: path).run() else {
      Issue.record("not in place")
      return
    }
    #expect(try content() == before)
    #expect(try MP4Demuxer(path: path).layout == .fastStart)
  }

  @Test("where nothing can be inserted, or places are not only in chunk offsets, the movie is written anew")
  func rewrites() throws {
    var bytes = Self.movie(.plain)
    // Samples that begin in front of the media: in place they would be torn apart.
    let moov = Int(try #require(HostileTableTests.place(of: "stco", in: bytes)))
    bytes.replaceSubrange((moov + 16)..<(moov + 20), with: Plain.u32(20))
    try write(bytes)
    let before = try content()
    #expect(try FastStart(path: path).run() == .rewritten)
    #expect(try content() == before)
    #expect(try MP4Demuxer(path: path).layout == .fastStart)
  }
}

extension Need {
  /// A file system that can insert ranges, under the tests' folder.
  static let insertion = Need("ext4 or XFS under the temporary folder", "the folder for temporary files is not on ext4")
  {
    canInsert
  }

  private static let canInsert: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    let path = folder.path("probe")
    guard FileManager.default.createFile(atPath: path, contents: nil) else { return false }
    return (try? EditableFile(path: path))?.insertsAtomically ?? false
  }()
}
