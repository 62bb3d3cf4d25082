import Foundation
import TestSupport
import Testing

@testable import MediaCore

extension Need {
  /// A kernel, and a container, that allow `io_uring`.
  fileprivate static let ring = Need("io_uring", "containers may forbid io_uring: then nothing uses it") {
    let buffer = WorkBuffer(count: 1)
    guard let file = try? FileSource(path: "/proc/self/exe").file else { return false }
    if case .some = unsafe ReadRing(file: file, buffer: buffer.bytes) { return true }
    return false
  }
}

@Suite("ReadRing", .inTurn, .needs(.ring))
struct ReadRingTests {
  private let folder: TemporaryFolder
  private let path: String
  private let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("file")
    try Data(content).write(to: URL(fileURLWithPath: path))
  }

  /// What is in a buffer of 100 000 bytes when the pieces were read, or `nil` if they were not.
  private func read(_ pieces: [ReadPiece]) throws -> [UInt8]? {
    let buffer = WorkBuffer(count: 100_000)
    guard let ring = unsafe ReadRing(file: try FileSource(path: path).file, buffer: buffer.bytes) else { return nil }
    return unsafe ring.read(pieces) ? Array(buffer.bytes) : nil
  }

  @Test("More pieces than fit the ring at once, in any order, are read to their places")
  func readsPieces() throws {
    var pieces: [ReadPiece] = []
    var expected: [UInt8] = []
    for index in 0..<1000 {
      let (offset, count) = ((index * 7919) % 99_000, 1 + index % 100)
      pieces.append(ReadPiece(offset: UInt64(offset), place: expected.count, count: count))
      expected += content[offset..<(offset + count)]
    }
    pieces.shuffle()
    let result = try #require(try read(pieces))
    #expect(Array(result.prefix(expected.count)) == expected)
  }

  @Test("A piece that reaches beyond the end is not read whole", arguments: [99_999, 100_000, UInt64(Int64.max), .max])
  func tellsOfTheEnd(offset: UInt64) throws {
    let good = (0..<10).map { ReadPiece(offset: 0, place: $0 * 10, count: 10) }
    #expect(try read(good) != nil)
    #expect(try read(good + [ReadPiece(offset: offset, place: 100, count: 2)] + good) == nil)
  }

  @Test(
    "Nothing is read to a place outside the buffer",
    arguments: [(-1, 1), (99_999, 2), (100_000, 1), (0, 100_001), (0, -1), (.max, 1), (0, .max)])
  func staysInside(place: Int, count: Int) throws {
    #expect(try read([ReadPiece(offset: 0, place: place, count: count)]) == nil)
  }
}
