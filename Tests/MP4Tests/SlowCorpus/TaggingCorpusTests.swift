import Foundation
import ISOBMFF
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// Tags set, grown by a cover and removed in real files: all else stays as it was.
@Suite(.inTurn, .needs(.corpus))
struct TaggingCorpusTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let files: [Shared.CorpusFile] =
    ((try? Shared.corpusFiles()) ?? []).filter { $0.expectation == "read" }

  /// Not movies, or movies whose samples are not where their index says, so that nothing may move.
  private static let refused: Set<String> = [
    "sannies__mp4parser/file6141.odf", "androidx__media/sample_fragmented_uuid.mp4",
  ]

  /// The movie as it is now, in memory: a file that is read cannot be changed.
  private func movie(_ path: String) throws -> MP4Demuxer {
    try MP4Demuxer(source: MemorySource([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))))
  }

  /// A sum of each track's samples, and the headers of all boxes but those that hold tags or offsets.
  private func content(_ path: String) throws -> [String] {
    let movie = try movie(path)
    var lines = movie.extraBoxes.map { "box \($0.type) \($0.payloadSize)" }
    for child in movie.moov.children where !["udta", "meta"].contains(child.type) { outline(child, "", &lines) }
    for track in movie.tracks {
      var (samples, sum) = (movie.samples(of: track), MD5())
      do {
        while let sample = try samples.next() {
          sum.append(Array("\(sample.timing) \(sample.isSync)".utf8))
          sum.append(Array(try sample.payload.load()))
        }
        lines.append("track \(track.id) \(sum.hexadecimal)")
      } catch {
        lines.append("track \(track.id) \(sum.hexadecimal), damaged")
      }
    }
    return lines
  }

  private func outline(_ node: BoxNode, _ path: String, _ lines: inout [String]) {
    let name = path + "/\(node.type)"
    let hasOffsets = ["stco", "co64", "saio", "iloc"].contains(node.type)
    if node.children.isEmpty, !hasOffsets {
      var sum = MD5()
      sum.append(node.payload)
      lines.append("\(name) \(node.header.payloadSize) \(sum.hexadecimal)")
    }
    for child in node.children { outline(child, name, &lines) }
  }

  @Test("payloads and all other boxes are as before", arguments: files)
  func comesAndGoes(file: Shared.CorpusFile) throws {
    let path = folder.path("movie")
    try Data(contentsOf: file.url).write(to: URL(fileURLWithPath: path))
    if Self.refused.contains(file.path) {
      var changes = TagChanges()
      try changes.set("title", to: "Dawn")
      #expect(throws: MP4Error.self) { try Tagger(path: path).run(changes) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(contentsOf: file.url))
      return
    }
    let before = try content(path)
    let tags = try movie(path).metadata.tags
    var changes = TagChanges()
    try changes.set("com.apple.iTunes:LYREBIRD", to: "Dawn")
    try Tagger(path: path).run(changes)
    #expect(try content(path) == before)
    try changes.addCover(.init([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 100_000)))
    try Tagger(path: path).run(changes)
    #expect(try content(path) == before)
    let grown = try movie(path).metadata
    #expect(grown["LYREBIRD"] == "Dawn" && grown.artwork.last?.format == "jpeg")
    changes = TagChanges()
    try changes.remove("com.apple.iTunes:LYREBIRD")
    try changes.setCovers([])
    try Tagger(path: path).run(changes)
    #expect(try content(path) == before)
    #expect(try movie(path).metadata.tags == tags)
  }
}
