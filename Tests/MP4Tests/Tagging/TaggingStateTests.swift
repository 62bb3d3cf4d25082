import Foundation
import ISOBMFF
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// Changing tags in place: at each step, and whatever a crash leaves of it, there is a whole movie.
@Suite(.inTurn) struct TaggingStateTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("movie.mp4")
  }

  /// A title, and a cover that does not fit beside most indexes.
  private static func changes() throws -> TagChanges {
    var changes = TagChanges()
    try changes.set("title", to: "Dawn")
    try changes.setCovers([.init([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 50_000))])
    return changes
  }

  /// Everything about a movie but where it lies in the file, and its tags.
  private func content() throws -> [String] {
    let movie = try MP4Demuxer(path: path)
    var lines = movie.extraBoxes.map { "box \($0.type) \($0.payloadSize)" }
    lines += movie.moov.children.filter { !["trak", "udta", "meta"].contains($0.type) }.map {
      "\($0.type) \($0.payload)"
    }
    for track in movie.tracks {
      var samples = movie.samples(of: track)
      while let sample = try samples.next() {
        lines.append("\(track.id) \(sample.timing) \(sample.isSync) \(try sample.payload.load())")
      }
    }
    return lines
  }

  /// Whether the tags are the old ones or all of the new ones; `nil` for anything between.
  private func isTagged() throws -> Bool? {
    let metadata = try MP4Demuxer(path: path).metadata
    switch (metadata["title"], try metadata.artwork.first?.data.load().count) {
    case (nil, nil): return false
    case ("Dawn", 50_004): return true
    default: return nil
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func read() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  private func plan(_ editor: EditableFile) throws -> TagPlan {
    let movie = try MP4Demuxer(path: path)
    return try #require(try TagPlan(movie, Self.changes(), file: editor, limits: BoxLimits()))
  }

  private func steps(_ editor: EditableFile) throws -> [EditStep] { try #require(try plan(editor).steps) }

  // MARK: Tests

  @Test(
    "the movie is whole before and after each step, with the old tags or the new ones, and is what was planned",
    .needs(.insertion), arguments: TaggedShape.allCases)
  func stepByStep(shape: TaggedShape) throws {
    try write(shape.bytes)
    let before = try content()
    #expect(before.count >= 100)
    let editor = try EditableFile(path: path)
    let plan = try plan(editor)
    #expect(plan.method == shape.method)
    // Read while the file is as it was: the plan refers to it.
    let planned = try plan.output.bytes()
    for (number, step) in try #require(plan.steps).enumerated() {
      #expect(try editor.apply(step.edit))
      #expect(try content() == before, "after step \(number)")
      #expect(try isTagged() != nil, "after step \(number)")
    }
    #expect(try isTagged() == true)
    #expect(try read() == planned)
    #expect(try MP4Demuxer(path: path).issues.isEmpty)
    #expect(try TagPlan(try MP4Demuxer(path: path), Self.changes(), file: editor, limits: BoxLimits()) == nil)
  }

  @Test(
    "what was written since the last sync may be lost, in any combination", .needs(.insertion),
    arguments: TaggedShape.allCases)
  func powerFailures(shape: TaggedShape) throws {
    let original = shape.bytes
    try write(original)
    let before = try content()
    let edits = try steps(try EditableFile(path: path)).map(\.edit)
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
        #expect(try content() == before, "\(count) steps, lost \(lost)")
        #expect(try isTagged() != nil, "\(count) steps, lost \(lost)")
      }
    }
  }

  @Test(
    "an insertion that was not synced may be lost, and what was written before it in the file may not",
    .needs(.insertion), arguments: [TaggedShape.front, .frontShort, .middle, .toEnd])
  func lostInsertion(shape: TaggedShape) throws {
    let original = shape.bytes
    try write(original)
    let before = try content()
    let edits = try steps(try EditableFile(path: path)).map(\.edit)
    let insertion = try #require(edits.firstIndex { if case .insert = $0 { true } else { false } })
    guard case .insert(_, let place) = edits[insertion] else { return }
    let synced = edits[insertion...].firstIndex(of: .sync) ?? edits.endIndex
    for count in insertion..<synced {
      try write(original)
      let editor = try EditableFile(path: path)
      for edit in edits[..<insertion] { #expect(try editor.apply(edit)) }
      // What lies after the room is elsewhere in the file that is left, or nowhere.
      for edit in edits[insertion...count] {
        guard case .write(let bytes, let offset) = edit, offset < place else { continue }
        let left = Array(bytes.prefix(Int(place - offset)))
        #expect(try editor.apply(.write(left, at: offset)))
      }
      #expect(try content() == before, "\(count) steps")
      #expect(try isTagged() == false, "\(count) steps")
    }
  }

  @Test(
    "a step that fails leaves the file as it was, byte for byte", .needs(.insertion), arguments: TaggedShape.allCases)
  func takesBack(shape: TaggedShape) throws {
    let original = shape.bytes
    try write(original)
    let steps = try steps(try EditableFile(path: path))
    let failing = steps.indices.filter { !steps[$0].undo.isEmpty }
    #expect(failing.count >= 4)
    for index in failing {
      try write(original)
      let editor = try EditableFile(path: path)
      for step in steps[..<index] { #expect(try editor.apply(step.edit)) }
      // A step that cannot be made: nothing is inserted at places within a block.
      let failed = EditStep(edit: .insert(1, at: 1), undo: steps[index].undo)
      #expect(try !editor.perform([failed]))
      #expect(try read() == original, "step \(index)")
    }
  }

  @Test(
    "a movie that was left at any step can be tagged again", .needs(.insertion), arguments: TaggedShape.allCases)
  func goesOn(shape: TaggedShape) throws {
    let original = shape.bytes
    try write(original)
    let before = try content()
    let steps = try steps(try EditableFile(path: path))
    for stop in steps.indices {
      try write(original)
      let editor = try EditableFile(path: path)
      for step in steps[..<stop] { #expect(try editor.apply(step.edit)) }
      var changes = try Self.changes()
      try changes.set("artist", to: "Bird")
      try Tagger(path: path).run(changes)
      #expect(try content() == before, "stopped after \(stop)")
      #expect(try isTagged() == true)
      #expect(try MP4Demuxer(path: path).metadata["artist"] == "Bird")
    }
  }

  @Test("tags that come and go leave all else as it was, in place and written anew", arguments: TaggedShape.allCases)
  func comesAndGoes(shape: TaggedShape) throws {
    try write(shape.bytes)
    let before = try content()
    try Tagger(path: path).run(try Self.changes())
    #expect(try content() == before)
    // The next change fits into the space that is left.
    var more = TagChanges()
    try more.set("artist", to: "A lyrebird")
    #expect([.inPadding, .atEnd].contains(try Tagger(path: path).run(more).method))
    var none = TagChanges()
    none.removeAll()
    try Tagger(path: path).run(none)
    #expect(try content() == before)
    #expect(try MP4Demuxer(path: path).metadata.tags.isEmpty)
    #expect(try MP4Demuxer(path: path).moov.first("udta") == nil)
    // Without a file that could be changed in place.
    try write(shape.bytes)
    let movie = try MP4Demuxer(path: path)
    let plan = try #require(try TagPlan(movie, Self.changes(), file: nil, limits: BoxLimits()))
    #expect(plan.method == .rewritten)
    try write(try plan.output.bytes())
    #expect(try content() == before)
    #expect(try isTagged() == true)
  }

  @Test("a movie of more than 4 GiB is whole at each step: sizes and offsets take 64 bits", .needs(.insertion))
  func beyond32Bits() throws {
    let size = UInt64(5) << 30
    func moov(_ start: UInt64) -> [UInt8] {
      var track = MadeTrack(samples: [5, 7], at: 0)
      track.chunks = [.init(1, 1)]
      track.places = [start + 16, start + size - 7]
      track.hasWidePlaces = true
      return MovieMaker.moov([track])
    }
    let start = UInt64(MovieMaker.fileType.count + moov(0).count)
    try write(
      MovieMaker.fileType + moov(start) + Plain.u32(1) + Plain.type("mdat") + Plain.u64(size) + Array("first".utf8))
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.seek(toOffset: start + size - 7)
    try handle.write(contentsOf: Data("at last".utf8))
    try handle.close()
    let before = try content()
    let editor = try EditableFile(path: path)
    for (number, step) in try steps(editor).enumerated() {
      #expect(try editor.apply(step.edit))
      #expect(try content() == before, "after step \(number)")
      #expect(try isTagged() != nil, "after step \(number)")
    }
    #expect(try isTagged() == true)
  }

  @Test("free space of more than 4 GiB, which need not be on the disk, is neither read nor written", .needs(.insertion))
  func endlessSpace() throws {
    let size = UInt64(5) << 30
    func moov(_ start: UInt64) -> [UInt8] {
      var track = MadeTrack(samples: [5, 7], at: 0)
      track.chunks = [.init(1, 2)]
      track.places = [start]
      track.hasWidePlaces = true
      return MovieMaker.moov([track])
    }
    let start = UInt64(MovieMaker.fileType.count + moov(0).count) + size
    try write(MovieMaker.fileType + moov(start + 8) + Plain.u32(1) + Plain.type("free") + Plain.u64(size))
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.seek(toOffset: start)
    try handle.write(contentsOf: Data(Plain.box("mdat", Array("first, again".utf8))))
    try handle.close()
    let before = try content()
    let editor = try EditableFile(path: path)
    let plan = try plan(editor)
    #expect(plan.method == .inPadding && plan.padding > size - 100_000)
    for (number, step) in try #require(plan.steps).enumerated() {
      #expect(try editor.apply(step.edit))
      #expect(try content() == before, "after step \(number)")
    }
    #expect(try isTagged() == true)
    #expect(try editor.size() == plan.output.count)
  }
}
