import Foundation
import Lyrebird
import TestSupport

/// A movie of the corpus or a made one, with what its index says: the packets, as the answer to compare with.
struct WholeMovie {
  let bytes: [UInt8]
  let movie: MP4Demuxer

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    movie = try MP4Demuxer(source: MemorySource(bytes))
  }

  init(path: String) throws { try self.init([UInt8](Data(contentsOf: URL(fileURLWithPath: path)))) }

  /// Top-level boxes, by type.
  func boxes(_ type: FourCC) throws -> [BoxHeader] {
    var parser = BoxParser(movie.reader)
    return try parser.nodes(from: 0, to: movie.reader.size).0.map(\.header).filter { $0.type == type }
  }

  /// The file without its movie header, as if it had never been written.
  func withoutIndex() throws -> [UInt8] {
    var left = bytes
    for box in try boxes("moov").reversed() { left.removeSubrange(Int(box.offset)..<Int(box.end)) }
    return left
  }

  /// Where a track's samples lie in the file; its movie header comes after them.
  func places(_ track: Track) throws -> [Range<Int>] {
    var samples = movie.samples(of: track)
    var all: [Range<Int>] = []
    while let record = try samples.nextRecord() { all.append(Int(record.offset)..<Int(record.offset) + record.size) }
    return all
  }

  /// The payloads of a track's samples, in file order.
  func payloads(_ track: Track) throws -> [[UInt8]] { try Self.payloads(movie, track) }

  static func payloads(_ movie: MP4Demuxer, _ track: Track) throws -> [[UInt8]] {
    var samples = movie.samples(of: track)
    var all: [[UInt8]] = []
    while let sample = try samples.next() { all.append(Array(try sample.payload.load())) }
    return all
  }
}

/// Repairs some bytes.
func repaired(
  _ bytes: [UInt8], _ options: MovieRepair.Options = MovieRepair.Options()
) throws -> (report: RepairReport, bytes: [UInt8]) {
  let sink = MemorySink()
  let repair = MovieRepair(reader: SourceReader(MemorySource(bytes)), options: options)
  let report = try repair.run(to: sink)
  return (report, sink.bytes)
}

/// How many payloads of a list are in another one, in the same order. Some are equal: samples of AV1 that show a frame
/// decoded before have three bytes.
func kept(_ wanted: [[UInt8]], in found: [[UInt8]]) -> Int {
  wanted.count - wanted.difference(from: found).insertions.count
}
