import MediaCore
import Testing

@Suite("PayloadGatherer")
struct PayloadGathererTests {
  /// Bytes whose values tell where they were.
  static let content = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }

  func gathered(_ gatherer: borrowing PayloadGatherer) -> [UInt8] {
    gatherer.withBytes { (bytes) throws(Never) in Array(bytes) }
  }

  /// Adds and checks the answer, outside the macro, which cannot hold what cannot be copied.
  func add(
    _ data: MediaData, to gatherer: inout PayloadGatherer, fits: Bool = true,
    location: SourceLocation = #_sourceLocation
  ) {
    let taken = gatherer.add(data)
    #expect(taken == fits, sourceLocation: location)
  }

  @Test("Ranges near, far, overlapping and backwards, and bytes in memory, come out in order")
  func order() throws {
    let reader = SourceReader(MemorySource(Self.content))
    var gatherer = PayloadGatherer(capacity: 100_000)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20 {
      var expected: [UInt8] = []
      var position = 0
      for index in 0..<300 {
        // Steps of every size around the gap that is bridged, some of them back.
        position += [0, 0, 0, 7, 100, 4095, 4096, 4097, 70_000, -50, -300][Int(generator.next() % 11)]
        position = min(max(position, 0), 400_000)
        let count = Int(generator.next() % 300)
        let bytes = Self.content[position..<(position + count)]
        let data = index % 17 == 0 ? .bytes(bytes) : MediaData.range(reader, offset: UInt64(position), count: count)
        add(data, to: &gatherer)
        expected += bytes
        position += count
      }
      try gatherer.load()
      let result = gathered(gatherer)
      #expect(result == expected)
      gatherer.removeAll()
    }
  }

  @Test("Nothing is lent before it was read")
  func unread() throws {
    var gatherer = PayloadGatherer(capacity: 100)
    add(.range(SourceReader(MemorySource(Self.content)), offset: 5, count: 3), to: &gatherer)
    let none = gathered(gatherer)
    #expect(none.isEmpty)
    try gatherer.load()
    let bytes = gathered(gatherer)
    #expect(bytes == [5, 6, 7])
  }

  @Test("What does not fit is not taken")
  func capacity() {
    let reader = SourceReader(MemorySource(Self.content))
    var gatherer = PayloadGatherer(capacity: 10)
    add(.range(reader, offset: 0, count: 11), to: &gatherer, fits: false)
    add(.range(reader, offset: 0, count: .max), to: &gatherer, fits: false)
    add(.range(reader, offset: 0, count: -1), to: &gatherer, fits: false)
    add(.range(reader, offset: 0, count: 6), to: &gatherer)
    add(.bytes([1, 2, 3, 4, 5]), to: &gatherer, fits: false)
    add(.bytes([1, 2, 3, 4]), to: &gatherer)
    let room = gatherer.room
    #expect(room == 0)
  }

  @Test("Scattered ranges are bounded in number")
  func runs() {
    let reader = SourceReader(MemorySource(Self.content))
    var gatherer = PayloadGatherer(capacity: 100_000)
    let taken = (0..<100_000).prefix { gatherer.add(.range(reader, offset: UInt64($0 * 2), count: 1)) }.count
    #expect(taken < 10_000)
    gatherer.removeAll()
    add(.range(reader, offset: 0, count: 1), to: &gatherer)
  }

  @Test(
    "A range beyond the end is an error that names the place, wherever the range claims to be",
    arguments: [499_990, 600_000, UInt64(Int64.max), UInt64.max - 5, .max])
  func beyondTheEnd(offset: UInt64) {
    let reader = SourceReader(MemorySource(Self.content, name: "file"))
    for other in [0, offset &- 20, offset &+ 20] {
      for first in [true, false] {
        var gatherer = PayloadGatherer(capacity: 100)
        add(.range(reader, offset: first ? other : offset, count: 20), to: &gatherer)
        add(.range(reader, offset: first ? offset : other, count: 20), to: &gatherer)
        do throws(SourceError) {
          try gatherer.load()
          Issue.record("nothing was thrown")
        } catch {
          #expect(error.code == .endedEarly)
          #expect(error.offset.map { $0 >= 500_000 } == true)
        }
      }
    }
  }
}
