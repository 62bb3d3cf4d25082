import Foundation
import TestSupport

/// What an independent program found in a track of a corpus file.
struct OracleTrack {
  private let row: [String: Any]

  init(_ row: [String: Any]) { self.row = row }

  private func number(_ key: String) -> Int64? { (row[key] as? NSNumber)?.int64Value }

  var id: UInt32 { UInt32(number("track_id") ?? 0) }
  var timescale: UInt32 { UInt32(number("timescale") ?? 0) }
  var samples: Int { Int(number("samples") ?? 0) }
  var bytes: UInt64 { UInt64(number("bytes") ?? 0) }
  var keyframes: Int { Int(number("keyframes") ?? 0) }
  var firstDecodeTime: Int64? { number("first_dts") }
  var firstPresentationTime: Int64? { number("first_pts") }
  var lastDecodeTime: Int64? { number("last_dts") }
  var lastPresentationTime: Int64? { number("last_pts") }
  var lastDuration: Int64? { number("last_duration") }
  var durations: Int64? { number("sum_duration") }
  var payloadSum: String { row["payload_md5"] as? String ?? "" }
  /// The sum of a line for each sample: times, size, sync flag, sum of the payload.
  var listSum: String { row["sample_list_md5"] as? String ?? "" }
  /// PCM, of which the oracle takes a chunk for a sample.
  var isInChunks: Bool { row["pcm_chunks"] as? Bool ?? false }
  /// Whether its samples are in the file at all.
  var isWhole: Bool { row["external_data"] == nil && row["samples_outside_file"] == nil }
  /// Duration, media time and rate of each edit; the oracle lists the first sixteen.
  var edits: [[Int64]] { (row["elst"] as? [[NSNumber]] ?? []).map { $0.map(\.int64Value) } }
}

/// A file of the corpus, or several in a row, that make one movie.
struct OracleMovie: CustomStringConvertible, Sendable {
  let parts: [String]
  let expectation: String
  /// A line of the oracle's file.
  private let line: String

  var description: String { parts[0] + (parts.count > 1 ? " + \(parts.count - 1) segments" : "") }

  /// Bytes of all parts.
  var size: Int {
    let sizes = parts.map { part -> Int in
      let path = Shared.corpus.appendingPathComponent(part).path
      return (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    }
    return sizes.reduce(0, +)
  }

  /// The tracks, in the order in which the file mentions them.
  var tracks: [OracleTrack] {
    let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
    return (object?["raw"] as? [[String: Any]] ?? []).map(OracleTrack.init)
  }

  /// The bytes of all parts.
  func bytes() throws -> [UInt8] {
    try parts.reduce(into: []) { bytes, part in
      bytes += [UInt8](try Data(contentsOf: Shared.corpus.appendingPathComponent(part)))
    }
  }

  private static func lines(_ name: String) -> [(line: String, row: [String: Any])] {
    let file = Shared.corpus.appendingPathComponent(name)
    return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").compactMap { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
      return (object as? [String: Any]).map { (String(line), $0) }
    }
  }

  /// Every movie of the corpus, and each set of segments as one.
  static let all: [OracleMovie] = {
    let files = (try? Shared.corpusFiles()) ?? []
    var known: [String: String] = [:]
    for (line, row) in lines("oracle.jsonl") { known[row["sha256"] as? String ?? ""] = line }
    let single = files.map { file in
      OracleMovie(parts: [file.path], expectation: file.expectation, line: known[file.sum] ?? "")
    }
    let sets = lines("segment_sets.jsonl").map { line, row in
      let segments = row["segments"] as? [String] ?? []
      return OracleMovie(parts: [row["init"] as? String ?? ""] + segments, expectation: "sets", line: line)
    }
    return single + sets
  }()
}
