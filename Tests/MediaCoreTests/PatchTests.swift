import Foundation
import MediaCore
import TestSupport
import Testing

/// Writing over what was written.
@Suite(.inTurn) struct PatchTests {
  @Test("bytes that were written can be replaced, and writing goes on at the end")
  func patch() throws {
    let folder = try TemporaryFolder()
    let file = try FileSink(path: folder.path("a"))
    let memory = MemorySink()
    for sink in [file, memory] as [any ByteSink] {
      #expect(sink.canPatch)
      try sink.write([1, 2, 3, 4])
      try sink.patch([9, 8], at: 1)
      try sink.write([5])
      try sink.patch([7], at: 4)
      try sink.finish()
    }
    #expect(memory.bytes == [1, 9, 8, 4, 7])
    #expect(FileManager.default.contents(atPath: folder.path("a")).map { Array($0) } == memory.bytes)
  }

  @Test("what was not written yet cannot be replaced", arguments: [(3, 2), (5, 1), (UInt64.max, 1)])
  func outside(offset: UInt64, count: Int) throws {
    let folder = try TemporaryFolder()
    for sink in [try FileSink(path: folder.path("a")), MemorySink()] as [any ByteSink] {
      try sink.write([1, 2, 3, 4])
      let error = #expect(throws: SinkError.self) { try sink.patch([UInt8](repeating: 0, count: count), at: offset) }
      #expect(error?.code == .cannotPatch)
    }
  }

  @Test("a device cannot be patched, and says so")
  func device() throws {
    let sink = try FileSink(path: "/dev/null")
    try sink.write([1, 2])
    #expect(!sink.canPatch)
    #expect(throws: SinkError(.cannotPatch, name: "/dev/null")) { try sink.patch([1], at: 0) }
  }

  @Test("memory refuses to insert more than there can be")
  func endlessInsertion() throws {
    let sink = MemorySink()
    try sink.write([1, 2, 3])
    #expect(throws: SinkError(.cannotPatch, name: "memory")) { try sink.insert(.max, at: 1) }
    #expect(sink.bytes == [1, 2, 3])
  }
}
