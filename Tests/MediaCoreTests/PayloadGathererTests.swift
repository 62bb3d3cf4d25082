import MediaCore
import TestSupport
import Testing

/// Lets the expectation macros hold a gatherer, which cannot be copied.
private final class Gatherer {
  private var inner: PayloadGatherer

  init(capacity: Int) { inner = PayloadGatherer(capacity: capacity) }

  var count: Int { inner.count }
  var room: Int { inner.room }
  var content: [UInt8] { inner.withBytes { Array($0) } }
  func add(_ data: MediaData) -> Bool { inner.add(data) }
  func load() throws { try inner.load() }
  func removeAll() { inner.removeAll() }
}

struct PayloadGathererTests {
  private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 13) }

  @Test("samples come in the order in which they were added, wherever they lay")
  func keepsOrder() throws {
    var noise = Noise(seed: 5)
    let reader = SourceReader(MemorySource(bytes))
    let other = SourceReader(MemorySource(bytes.reversed()))
    let gatherer = Gatherer(capacity: 4000)
    for _ in 0..<200 {
      gatherer.removeAll()
      var expected: [UInt8] = []
      for _ in 0..<Int.random(in: 0...30, using: &noise) {
        let start = Int.random(in: 0...900, using: &noise)
        let count = Int.random(in: 0...100, using: &noise)
        let place = start..<(start + count)
        switch Int.random(in: 0...2, using: &noise) {
        case 0:
          #expect(gatherer.add(.bytes(bytes[place])))
          expected += bytes[place]
        case 1:
          #expect(gatherer.add(.range(reader, offset: UInt64(start), count: count)))
          expected += bytes[place]
        default:
          #expect(gatherer.add(.range(other, offset: UInt64(start), count: count)))
          expected += bytes.reversed()[place]
        }
      }
      #expect(gatherer.count == expected.count)
      try gatherer.load()
      #expect(gatherer.content == expected)
    }
  }

  @Test("neighbours in a source are read at once")
  func mergesNeighbours() throws {
    let source = FaultySource(MemorySource(bytes))
    let reader = SourceReader(source)
    let gatherer = Gatherer(capacity: 1000)
    for offset in stride(from: 100, to: 200, by: 10) {
      #expect(gatherer.add(.range(reader, offset: UInt64(offset), count: 10)))
    }
    for offset in stride(from: 300, to: 400, by: 20) {
      #expect(gatherer.add(.range(reader, offset: UInt64(offset), count: 10)))
    }
    try gatherer.load()
    #expect(source.reads == 6)
    let apart = stride(from: 300, to: 400, by: 20).flatMap { bytes[$0..<($0 + 10)] }
    #expect(gatherer.content == bytes[100..<200] + apart)
  }

  @Test("what does not fit is refused, and what was added before stays")
  func refusesWhatDoesNotFit() throws {
    let reader = SourceReader(MemorySource(bytes))
    let gatherer = Gatherer(capacity: 10)
    #expect(gatherer.add(.bytes(bytes[0..<6])))
    #expect(!gatherer.add(.range(reader, offset: 0, count: 5)))
    #expect(!gatherer.add(.range(reader, offset: 0, count: -1)))
    #expect(!gatherer.add(.range(reader, offset: 0, count: .max)))
    #expect(gatherer.room == 4)
    #expect(gatherer.add(.range(reader, offset: 6, count: 4)))
    try gatherer.load()
    #expect(gatherer.content == Array(bytes[0..<10]))
    gatherer.removeAll()
    #expect(gatherer.room == 10)
    #expect(gatherer.content.isEmpty)
  }

  @Test("memory that nothing was read into is not shown")
  func hidesWhatIsNotLoaded() throws {
    let source = FaultySource(MemorySource(bytes), .failing(0))
    let gatherer = Gatherer(capacity: 100)
    #expect(gatherer.add(.range(SourceReader(source, attempts: 0), offset: 0, count: 50)))
    #expect(gatherer.content.isEmpty)
    #expect(throws: SourceError.self) { try gatherer.load() }
    #expect(gatherer.content.isEmpty)
    // Asked again after the failure is mended, it delivers.
    try source.reopen()
    try gatherer.load()
    #expect(gatherer.content == Array(bytes[0..<50]))
  }

  @Test("a source that is too short is an error with the byte where it ended, not a shorter sample")
  func saysWhereSourcesEnd() throws {
    let gatherer = Gatherer(capacity: 100)
    #expect(gatherer.add(.range(SourceReader(MemorySource(bytes)), offset: 990, count: 20)))
    let error = #expect(throws: SourceError.self) { try gatherer.load() }
    #expect(error == SourceError(.endedEarly, name: "memory", offset: 1000))
  }
}
