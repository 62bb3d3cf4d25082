import Foundation
import TestSupport
import Testing

@testable import MediaCore

/// Files that somebody else has, and files that were changed while they were read.
@Suite(.inTurn)
struct FileLockTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("file")
    try Data(repeating: 1, count: 1000).write(to: URL(fileURLWithPath: path))
  }

  private func isFree() throws -> Bool {
    do {
      _ = try EditableFile.locked(path: path, patience: 20_000)
      return true
    } catch SinkError(.inUse, name: path) {
      return false
    }
  }

  @Test("a file cannot be had for changing while it is read, changed, or grows, and can be had again afterwards")
  func excludes() throws {
    #expect(try isFree())
    var source: FileSource? = try FileSource(path: path)
    #expect(try !isFree())
    try source?.reopen()
    #expect(try !isFree())
    #expect(source != nil)
    source = nil
    var editor: EditableFile? = try EditableFile.locked(path: path, patience: 0)
    #expect(try !isFree())
    #expect(editor != nil)
    editor = nil
    #expect(try isFree())
    try FileManager.default.removeItem(atPath: path)
    let growing = try FileSink(growingPath: path)
    #expect(try !isFree())
    // Who reads it does not keep it from growing.
    let reader = try FileSource(path: path)
    try growing.write([1, 2, 3])
    try growing.finish()
    #expect(reader.size == 0)
    withExtendedLifetime(reader) {}
  }

  @Test("a lock is taken on the file that has the name by then, not on one that was replaced meanwhile")
  func followsName() throws {
    var editor: EditableFile? = try EditableFile.locked(path: path, patience: 0)
    let old = try editor?.source().size
    let sink = try FileSink(path: path)
    try sink.write([7])
    try sink.finish()
    // The old file is still held, the one of that name is not.
    let new = try #require(try EditableFile.locked(path: path, patience: 0))
    #expect(try old == 1000 && new.source().size == 1)
    editor = nil
  }

  @Test("what a source was when it was opened is told from what it became: longer, or other")
  func tellsChanges() throws {
    let source = try FileSource(path: path)
    #expect(try source.change() == .none)
    try SourceReader(source).checkUnchanged()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([1]))
    #expect(try source.change() == .grown)
    #expect(throws: SourceError(.changed, name: path)) { try SourceReader(source).checkUnchanged() }
    try handle.truncate(atOffset: 1000)
    // As long as it was, but not untouched.
    #expect(try source.change() == .changed)
    try handle.truncate(atOffset: 999)
    #expect(try source.change() == .changed)
  }

  @Test("bytes that were written over are noticed though the time of the last change is set back")
  func noticesForgedTimes() throws {
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    let source = try FileSource(path: path)
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.write(contentsOf: Data([9]))
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    #expect(try source.change() == .changed)
  }

  @Test("what is read through a file that is being changed stays open for writing, whatever fails")
  func lendsItsFile() throws {
    let editor = try #require(try EditableFile.locked(path: path, patience: 0))
    let source = try editor.source()
    try source.reopen()
    #expect(try SourceReader(source).bytes(at: 998, count: 10) == [1, 1])
    try editor.write([2], at: 0)
    #expect(try source.change() == .changed)
  }
}
