import MediaCore
import TestSupport
import Testing

/// A window must give the bytes that lie there, whatever was asked before.
@Suite(.inTurn) struct SourceWindowTests {
  private let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 5) }

  @Test("a window shows the same bytes as the source, in whatever order it is moved")
  func showsTheSource() throws {
    var noise = Noise(seed: 4)
    for capacity in [1, 16, 100, 4096, 10000] {
      var window = SourceWindow(SourceReader(MemorySource(bytes)), capacity: capacity)
      for _ in 0..<500 {
        let offset = Int.random(in: 0...5100, using: &noise)
        let count = Int.random(in: 0...300, using: &noise)
        let expected = offset < 5000 ? Array(bytes[offset..<min(offset + count, 5000)]) : []
        #expect(try Array(window.bytes(at: UInt64(offset), count: count)) == expected)
      }
      #expect(try window.bytes(at: .max, count: 10).isEmpty)
    }
  }

  @Test("reading front to back costs one read in a capacity, not one a piece")
  func readsAhead() throws {
    let source = FaultySource(MemorySource(bytes))
    var window = SourceWindow(SourceReader(source), capacity: 1000)
    for offset in stride(from: 0, to: 5000, by: 10) { _ = try window.bytes(at: UInt64(offset), count: 10) }
    #expect(source.reads == 5)
  }

  @Test("a piece larger than the capacity is had whole")
  func growsForLargePieces() throws {
    var window = SourceWindow(SourceReader(MemorySource(bytes)), capacity: 10)
    #expect(try Array(window.bytes(at: 7, count: 3000)) == Array(bytes[7..<3007]))
  }

  @Test("reading ahead stops at the limit")
  func stopsAtLimit() throws {
    var window = SourceWindow(SourceReader(MemorySource(bytes)), capacity: 1000)
    #expect(try window.bytes(at: 0, count: 10, limit: 20).count == 10)
    let source = FaultySource(MemorySource(bytes))
    var counted = SourceWindow(SourceReader(source), capacity: 1000)
    _ = try counted.bytes(at: 0, count: 10, limit: 20)
    _ = try counted.bytes(at: 10, count: 10, limit: 20)
    #expect(source.reads == 1)
    _ = try counted.bytes(at: 15, count: 10)
    #expect(source.reads == 2)
  }

  @Test("a failed read leaves nothing behind that could be taken for bytes")
  func forgetsAfterFailure() throws {
    let source = FaultySource(MemorySource(bytes), .failing(1))
    var window = SourceWindow(SourceReader(source, attempts: 0), capacity: 100)
    #expect(try Array(window.bytes(at: 0, count: 50)) == Array(bytes[0..<50]))
    #expect(throws: SourceError.self) { try window.bytes(at: 200, count: 50) }
    try source.reopen()
    #expect(try Array(window.bytes(at: 200, count: 50)) == Array(bytes[200..<250]))
    #expect(try Array(window.bytes(at: 0, count: 50)) == Array(bytes[0..<50]))
  }
}
