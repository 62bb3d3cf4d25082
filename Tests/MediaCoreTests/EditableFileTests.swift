import MediaCore
import TestSupport
import Testing

/// Files changed where they lie.
@Suite(.inTurn) struct EditableFileTests {
  @Test("bytes are written over, ranges inserted and the end cut off where they are asked to be")
  func edits() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    let sink = try FileSink(path: path)
    try sink.write([UInt8](repeating: 1, count: 10_000))
    try sink.finish()
    let file = try EditableFile(path: path)
    try file.write([2, 3], at: 4095)
    let inserted = try file.insert(file.blockSize, at: file.blockSize)
    try file.truncate(to: try file.size() - 1)
    try file.sync()
    var expected = [UInt8](repeating: 1, count: 9_999)
    expected.replaceSubrange(4095..<4097, with: [2, 3])
    if inserted {
      expected.insert(contentsOf: [UInt8](repeating: 0, count: Int(file.blockSize)), at: Int(file.blockSize))
    }
    #expect(try SourceReader(FileSource(path: path)).bytes(at: 0, count: 100_000) == expected)
  }

  @Test("what is not a regular file, or is not there, is refused")
  func refuses() {
    #expect(throws: SinkError.self) { try EditableFile(path: "/dev/null") }
    #expect(throws: SinkError.self) { try EditableFile(path: "/nowhere/at/all") }
  }
}
