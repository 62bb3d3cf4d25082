import Foundation
import MediaCore
import TestSupport
import Testing

@Suite(.inTurn) struct FileSourceTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("tune.mp4")
    try Data((0..<200).map { UInt8($0) }).write(to: URL(fileURLWithPath: path))
  }

  @Test("a file is read at any offset, by name and size as the system knows them")
  func readsAtOffsets() throws {
    let source = try FileSource(path: path)
    #expect(source.size == 200)
    #expect(source.name == path)
    let reader = SourceReader(source)
    #expect(try reader.bytes(at: 190, count: 100) == (190..<200).map { UInt8($0) })
    #expect(try reader.bytes(at: 0, count: 3) == [0, 1, 2])
    var buffer = [UInt8](repeating: 0, count: 4)
    let behind = try unsafe buffer.withUnsafeMutableBytes { try unsafe source.read(at: .max, into: $0) }
    #expect(behind == 0)
  }

  @Test("what is not there, or cannot be read at an offset, is refused by name")
  func refusesWhatIsNoFile() throws {
    let missing = folder.path("nothing.mp4")
    #expect(throws: SourceError(.notFound, name: missing)) { try FileSource(path: missing) }
    #expect(throws: SourceError(.notReadable, name: folder.url.path)) { try FileSource(path: folder.url.path) }
    #expect(throws: SourceError(.notReadable, name: "/dev/zero")) { try FileSource(path: "/dev/zero") }
    let pipe = folder.path("pipe")
    #expect(try Tool.run("/usr/bin/mkfifo", [pipe]).status == 0)
    // Must not wait for a writer that never comes.
    #expect(throws: SourceError(.notReadable, name: pipe)) { try FileSource(path: pipe) }
    #expect(SourceError(.notFound, name: "a.mp4").description == "a.mp4: no such file")
  }

  @Test("when a file was last read stays as it was")
  func keepsAccessTime() throws {
    // Older than the last change: what else a kernel would renew.
    #expect(try Tool.run("/usr/bin/touch", ["-a", "-d", "2001-02-03 04:05:06", path]).status == 0)
    let before = try Tool.run("/usr/bin/stat", ["-c", "%x", path]).output
    #expect(String(decoding: before, as: UTF8.self).hasPrefix("2001-02-03 04:05:06"))
    _ = try SourceReader(try FileSource(path: path)).bytes(at: 0, count: 200)
    #expect(try Tool.run("/usr/bin/stat", ["-c", "%x", path]).output == before)
  }

  @Test("a file that is cut short while it is read ends early and does not kill anyone")
  func survivesShrinking() throws {
    let source = try FileSource(path: path)
    let reader = SourceReader(source)
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 50)
    #expect(try reader.bytes(at: 0, count: 50).count == 50)
    let error = #expect(throws: SourceError.self) { try reader.bytes(at: 0, count: 100) }
    // Reopening finds that the size is another: it is not the file that it was.
    #expect(error?.code == .changed)
    let hasty = #expect(throws: SourceError.self) { try SourceReader(source, attempts: 0).bytes(at: 0, count: 100) }
    #expect(hasty == SourceError(.endedEarly, name: path, offset: 50))
  }

  @Test("a file that grows is read as it was when it was opened")
  func ignoresGrowth() throws {
    let source = try FileSource(path: path)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([1, 2, 3]))
    #expect(source.size == 200)
    #expect(try SourceReader(source).bytes(at: 190, count: 100).count == 10)
  }

  @Test("reopening finds the same file again, and refuses another of the same name and size")
  func reopensTheSameFile() throws {
    let source = try FileSource(path: path)
    try source.reopen()
    #expect(try SourceReader(source).bytes(at: 0, count: 2) == [0, 1])
    try FileManager.default.moveItem(atPath: path, toPath: folder.path("old"))
    #expect(throws: SourceError(.notFound, name: path)) { try source.reopen() }
    try Data(count: 200).write(to: URL(fileURLWithPath: path))
    #expect(throws: SourceError(.changed, name: path)) { try source.reopen() }
    // The old one is still open and still itself.
    #expect(try SourceReader(source).bytes(at: 198, count: 2) == [198, 199])
  }

  @Test("one source serves many readers at once")
  func isShared() async throws {
    let source = try FileSource(path: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let reader = SourceReader(source)
          for offset in 0..<200 {
            #expect(try reader.bytes(at: UInt64(offset), count: 1) == [UInt8(offset)])
            if offset % 20 == number { try source.reopen() }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
