import Foundation
import MediaCore
import TestSupport
import Testing

/// What a person finds in the folder, at every moment of a sink's life.
@Suite(.inTurn) struct FileSinkTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("song.m4a")
  }

  private func write(_ text: String, to sink: FileSink) throws {
    try unsafe Array(text.utf8).withUnsafeBytes { try unsafe sink.write($0) }
  }

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private func place(_ text: String, mode: Int = 0o644) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("a new file appears when it is finished, whole, and not before", arguments: [false, true])
  func appearsAtFinish(sync: Bool) throws {
    let sink = try FileSink(path: path, sync: sync)
    try write("half", to: sink)
    #expect(try names() == [])
    try write(" and half", to: sink)
    try sink.finish()
    #expect(try names() == ["song.m4a"])
    #expect(text(path) == "half and half")
  }

  @Test(
    "of the room that was made for an output only what it takes is kept", arguments: [0, 4, 8, 1 << 20] as [UInt64])
  func reservedRoom(count: UInt64) throws {
    let sink = try FileSink(path: path)
    try sink.reserve(count)
    try write("half and", to: sink)
    try write(" half", to: sink)
    try sink.finish()
    #expect(text(path) == "half and half")
    var status = stat()
    let isFound = unsafe stat(path, &status) == 0
    #expect(isFound && status.st_blocks <= 128)
  }

  @Test("a sink that goes away unfinished leaves nothing behind")
  func leavesNothing() throws {
    do {
      let sink = try FileSink(path: path)
      try write("half", to: sink)
    }
    #expect(try names() == [])
  }

  @Test("an old file stays until the new one is finished, and stays if it never is")
  func keepsTheOldFile() throws {
    try place("old")
    do {
      let sink = try FileSink(path: path)
      try write("new", to: sink)
      #expect(text(path) == "old")
      #expect(try names() == ["song.m4a"])
    }
    #expect(text(path) == "old")
    let sink = try FileSink(path: path)
    try write("new", to: sink)
    try sink.finish()
    #expect(text(path) == "new")
    #expect(try names() == ["song.m4a"])
  }

  @Test("whoever has the old file open goes on reading the old file")
  func outputCanBeInput() throws {
    try place("old")
    let source = try FileSource(path: path)
    let sink = try FileSink(path: path)
    try write("a new file", to: sink)
    try sink.finish()
    #expect(try SourceReader(source).bytes(at: 0, count: 3) == Array("old".utf8))
    #expect(text(path) == "a new file")
  }

  @Test("a replaced file passes on its mode", arguments: [0o600, 0o640, 0o755, 0o200])
  func keepsMode(mode: Int) throws {
    try place("old", mode: mode)
    let sink = try FileSink(path: path)
    try write("new", to: sink)
    try sink.finish()
    #expect(try self.mode(path) == mode)
    #expect(text(path) == "new")
  }

  @Test("a replaced file passes on the extended attributes that its users gave it")
  func keepsAttributes() throws {
    try place("old")
    let key = FileAttributeKey(rawValue: "NSFileExtendedAttributes")
    let note = Data([0, 1, 0xFF])
    try FileManager.default.setAttributes([key: ["user.note": note]], ofItemAtPath: path)
    let sink = try FileSink(path: path)
    try write("new", to: sink)
    try sink.finish()
    let attributes = try FileManager.default.attributesOfItem(atPath: path)[key] as? [String: Data]
    #expect(attributes?["user.note"] == note && text(path) == "new")
  }

  @Test("a new file has the mode that any new file has")
  func usesTheUsualMode() throws {
    let other = folder.path("other")
    #expect(try Tool.run("/usr/bin/touch", [other]).status == 0)
    let sink = try FileSink(path: path)
    try sink.finish()
    #expect(try mode(path) == mode(other))
  }

  @Test("a symbolic link stays one, and the file behind it is replaced")
  func followsLinks() throws {
    let behind = folder.path("real.m4a")
    try Data("old".utf8).write(to: URL(fileURLWithPath: behind))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real.m4a")
    let sink = try FileSink(path: path)
    try write("new", to: sink)
    try sink.finish()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "real.m4a")
    #expect(text(behind) == "new")
    #expect(try names() == ["real.m4a", "song.m4a"])
  }

  @Test("links that lead nowhere yet stay links, and the file appears where the last one points")
  func followsDanglingLinks() throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "second")
    try FileManager.default.createSymbolicLink(atPath: folder.path("second"), withDestinationPath: folder.path("third"))
    let sink = try FileSink(path: path)
    try write("new", to: sink)
    try sink.finish()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "second")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("second")) == folder.path("third"))
    #expect(text(folder.path("third")) == "new")
    #expect(try names() == ["second", "song.m4a", "third"])
  }

  @Test("a ring of links is refused")
  func refusesRings() throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "other")
    try FileManager.default.createSymbolicLink(atPath: folder.path("other"), withDestinationPath: "song.m4a")
    let error = #expect(throws: SinkError.self) { try FileSink(path: path) }
    guard case .cannotCreate? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("without leave to replace, an existing file is refused and kept")
  func refusesToClobber() throws {
    try place("old")
    #expect(throws: SinkError(.exists, name: path)) { try FileSink(path: path, clobber: false) }
    #expect(text(path) == "old")
    #expect(throws: SinkError(.exists, name: "/dev/null")) { try FileSink(path: "/dev/null", clobber: false) }
  }

  @Test("without leave to replace, a file that appeared meanwhile is kept too")
  func refusesToClobberLate() throws {
    let sink = try FileSink(path: path, clobber: false)
    try write("new", to: sink)
    try place("somebody else's")
    #expect(throws: SinkError(.exists, name: path)) { try sink.finish() }
    #expect(text(path) == "somebody else's")
    #expect(try names() == ["song.m4a"])
  }

  @Test("an error says that the old file is still there if it is")
  func saysWhatIsLeft() {
    #expect(SinkError(.writeFailed(28), name: "a", keepsOld: true).description.contains("the old file is still there"))
    #expect(!SinkError(.writeFailed(28), name: "a").description.contains("old file"))
  }

  @Test("of sinks without leave to replace, the first to finish gets the name")
  func firstFinishes() throws {
    let sinks = try (0..<8).map { _ in try FileSink(path: path, clobber: false) }
    for (number, sink) in sinks.enumerated() { try write("\(number)", to: sink) }
    let done = sinks.filter { (try? $0.finish()) != nil }
    #expect(done.count == 1 && text(path) == "0")
    #expect(try names() == ["song.m4a"])
  }

  @Test("a very long name leaves room for the hidden one beside it")
  func longName() throws {
    let long = folder.path(String(repeating: "ä", count: 120) + ".m4a")
    try Data("old".utf8).write(to: URL(fileURLWithPath: long))
    let sink = try FileSink(path: long)
    try write("new", to: sink)
    try sink.finish()
    #expect(text(long) == "new")
  }

  @Test("with leave to replace, a file that appeared meanwhile is replaced")
  func replacesLateComers() throws {
    let sink = try FileSink(path: path)
    try write("new", to: sink)
    try place("somebody else's")
    try sink.finish()
    #expect(text(path) == "new")
    #expect(try names() == ["song.m4a"])
  }

  @Test("a device is written to as it is, and stays a device")
  func writesToDevices() throws {
    let sink = try FileSink(path: "/dev/null")
    try write("gone", to: sink)
    try sink.finish()
    let kind = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
    #expect(kind == .typeCharacterSpecial)
  }

  @Test("a full disk is said, with the system's own number")
  func saysThatTheDiskIsFull() throws {
    let sink = try FileSink(path: "/dev/full")
    let error = SinkError(.writeFailed(28), name: "/dev/full")
    #expect(throws: error) { try write("too much", to: sink) }
    #expect(throws: error) { try sink.finish() }
  }

  @Test("a folder that is missing, is none, or cannot be written to is said at once")
  func refusesBadFolders() throws {
    let missing = folder.path("nowhere/song.m4a")
    #expect(throws: SinkError(.cannotCreate(2), name: missing)) { try FileSink(path: missing) }
    try place("a file")
    #expect(throws: SinkError.self) { try FileSink(path: path + "/song.m4a") }
    #expect(throws: SinkError.self) { try FileSink(path: folder.url.path) }
    // Nobody, not even root, makes files there.
    #expect(throws: SinkError.self) { try FileSink(path: "/proc/song.m4a") }
    #expect(try names() == ["song.m4a"])
  }

  @Test("a path without a folder means the current one")
  func usesTheCurrentFolder() throws {
    // The process's own folder is everybody's; what is tested is only that a bare name can be opened.
    let name = "lyrebird-\(UUID().uuidString)"
    _ = try FileSink(path: name)
    #expect(!FileManager.default.fileExists(atPath: name))
  }

  @Test("a sink that is finished again does nothing, and takes nothing more")
  func isFinishedOnce() throws {
    let sink = try FileSink(path: path)
    try write("all", to: sink)
    try sink.finish()
    try place("another")
    try sink.finish()
    #expect(throws: SinkError(.finished, name: path)) { try write("more", to: sink) }
    #expect(text(path) == "another")
  }

  @Test("a sink that failed to finish says so again, and one that was given up cannot be finished")
  func isNotFinishedAfterFailure() throws {
    let sink = try FileSink(path: path, clobber: false)
    try place("another")
    let other = try FileSink(path: path)
    for _ in 0..<2 { #expect(throws: SinkError(.exists, name: path)) { try sink.finish() } }
    #expect(throws: SinkError(.exists, name: path)) { try write("more", to: sink) }
    other.cancel()
    #expect(throws: SinkError(.finished, name: path)) { try other.finish() }
    #expect(text(path) == "another")
  }
}
