import Foundation
import MediaCore
import TestSupport
import Testing

@Suite("PayloadGatherer", .inTurn)
struct PayloadGathererTests {
  /// Bytes whose values tell where they were.
  static let content = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }

  func gathered(_ gatherer: borrowing PayloadGatherer) -> [UInt8] {
    unsafe gatherer.withBytes { (bytes) throws(Never) in unsafe Array(bytes) }
  }

  /// Adds and checks the answer, outside the macro, which cannot hold what cannot be copied.
  func add(
    _ data: MediaData, to gatherer: inout PayloadGatherer, fits: Bool = true,
    location: SourceLocation = #_sourceLocation
  ) {
    let taken = gatherer.add(data)
    #expect(taken == fits, sourceLocation: location)
  }

  func file(_ content: [UInt8], in folder: TemporaryFolder) throws -> String {
    let path = folder.path(UUID().uuidString)
    try Data(content).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("Ranges near, far, overlapping and backwards, and bytes in memory, come out in order")
  func order() throws {
    let reader = SourceReader(MemorySource(Self.content))
    var gatherer = PayloadGatherer(capacity: 100_000)
    var noise = Noise(seed: 21)
    for _ in 0..<20 {
      var expected: [UInt8] = []
      var position = 0
      for index in 0..<300 {
        // Steps of every size around the gap that is bridged, some of them back.
        position += [0, 0, 0, 7, 100, 4095, 4096, 4097, 70_000, -50, -300][Int(noise.next() % 11)]
        position = min(max(position, 0), 400_000)
        let count = Int(noise.next() % 300)
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

  @Test("Headers stand ahead of their samples, whether these lie together, near or far", arguments: [true, false])
  func headers(inFile: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try file(Self.content, in: folder)
    let reader = SourceReader(inFile ? try FileSource(path: path) : MemorySource(Self.content))
    var gatherer = PayloadGatherer(capacity: 30_000)
    var noise = Noise(seed: 22)
    for round in 0..<20 {
      var expected: [UInt8] = []
      var position = 0
      while true {
        position += [0, 0, 10, 4096, 5000][Int(noise.next() % 5)]
        if position > 490_000 { position = 0 }
        let count = Int(noise.next() % 20)
        let header = noise.next()
        let headerSize = Int(noise.next() % 9)
        let bytes = Self.content[position..<(position + count)]
        let data = round % 5 == 4 ? .bytes(bytes) : MediaData.range(reader, offset: UInt64(position), count: count)
        guard gatherer.add(data, after: header, of: headerSize) else { break }
        unsafe expected += withUnsafeBytes(of: header.bigEndian) { unsafe $0.suffix(headerSize) }
        expected += bytes
        position += count
      }
      try gatherer.load()
      let result = gathered(gatherer)
      #expect(result.count > 20_000)
      #expect(result == expected)
      gatherer.removeAll()
    }
  }

  @Test("Many ranges of a file that was cut short since are an error, and those that are left are still read")
  func shrunkFile() throws {
    let folder = try TemporaryFolder()
    let path = try file(Self.content, in: folder)
    let reader = SourceReader(try FileSource(path: path))
    var gatherer = PayloadGatherer(capacity: 100_000)
    for index in 0..<90 { add(.range(reader, offset: UInt64(index * 5000), count: 10), to: &gatherer) }
    try FileHandle(forUpdating: URL(fileURLWithPath: path)).truncate(atOffset: 200_005)
    do throws(SourceError) {
      try gatherer.load()
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.code == .changed)
    }
    gatherer.removeAll()
    for index in 0..<40 { add(.range(reader, offset: UInt64(index * 5000), count: 10), to: &gatherer) }
    try gatherer.load()
    let result = gathered(gatherer)
    var expected: [UInt8] = []
    for index in 0..<40 { expected += Self.content[(index * 5000)..<(index * 5000 + 10)] }
    #expect(result == expected)
  }

  @Test("Ranges of two files in turn, many of each, come out in order")
  func twoFiles() throws {
    let reversed = Array(Self.content.reversed())
    let folder = try TemporaryFolder()
    let readers = try [Self.content, reversed].map { content in
      SourceReader(try FileSource(path: try file(content, in: folder)))
    }
    var gatherer = PayloadGatherer(capacity: 100_000)
    var expected: [UInt8] = []
    for index in 0..<600 {
      let (start, which) = ((index * 8191) % 490_000, index / 100 % 2)
      add(.range(readers[which], offset: UInt64(start), count: 50), to: &gatherer)
      expected += [Self.content, reversed][which][start..<(start + 50)]
    }
    try gatherer.load()
    let result = gathered(gatherer)
    #expect(result == expected)
  }

  @Test("Headers that do not fit are not taken")
  func headerCapacity() {
    var gatherer = PayloadGatherer(capacity: 10)
    for size in [-1, 9, .max, .min] {
      let taken = gatherer.add(.bytes([1]), after: 0, of: size)
      #expect(!taken)
    }
    let seven = gatherer.add(.bytes([1, 2, 3, 4]), after: 0, of: 7)
    #expect(!seven)
    let six = gatherer.add(.bytes([1, 2, 3, 4]), after: 0x0102_0304_0506_0708, of: 6)
    #expect(six)
    let bytes = gathered(gatherer)
    #expect(bytes == [3, 4, 5, 6, 7, 8, 1, 2, 3, 4])
  }

  @Test("What was read is taken from the front, what is after it stays")
  func removeFirst() throws {
    var gatherer = PayloadGatherer(capacity: 100)
    add(.range(SourceReader(MemorySource(Self.content)), offset: 5, count: 9), to: &gatherer)
    gatherer.removeFirst(4)
    try gatherer.load()
    for tooMany in [-1, 10] { gatherer.removeFirst(tooMany) }
    gatherer.removeFirst(4)
    add(.bytes([1, 2]), to: &gatherer)
    let bytes = gathered(gatherer)
    #expect(bytes == [9, 10, 11, 12, 13, 1, 2])
    gatherer.removeFirst(7)
    let room = gatherer.room
    #expect(room == 100)
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
