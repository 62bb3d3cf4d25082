import Foundation
import MediaCore
import TestSupport
import Testing

/// Paths that the kernel and Swift read differently.
@Suite(.inTurn) struct PathTests {
  @Test("a path with a zero byte in it leads to no file, for whatever purpose")
  func zeroByte() throws {
    let folder = try TemporaryFolder()
    let named = folder.path("song.m4a")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: named))
    let path = named + "\0.png"
    #expect(throws: SourceError.self) { _ = try FileSource(path: path) }
    #expect(throws: SinkError.self) { _ = try FileSink(path: path) }
    #expect(throws: SinkError.self) { _ = try FileSink(growingPath: path) }
    #expect(throws: SinkError.self) { _ = try EditableFile(path: path) }
    #expect(throws: SinkError.self) { try EditableFile(path: named).moveIntoPlace(of: path, clobber: true) }
    EditableFile.remove(path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["song.m4a"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: named)) == Data([1, 2, 3]))
  }
}
