import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct FastStartCommandTests {
  private let folder: TemporaryFolder
  private let movie: String

  init() throws {
    folder = try TemporaryFolder()
    movie = folder.path("movie.mp4")
    try #require(try Command.run("remux", Demo.path, movie, "--layout", "moov-last").status == 0)
  }

  private func samples() throws -> [String] {
    let lines = try Command.run("packets", "--json", movie).text.split(separator: "\n")
    return lines.map { $0.split(separator: ",").filter { !$0.contains("offset") }.joined(separator: ",") }
  }

  @Test("the index goes to the front, once; the file keeps its mode, and stays behind its link")
  func movesOnce() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: movie)
    let link = folder.path("link.mp4")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: movie)
    let before = try samples()
    let moved = try Command.run("faststart", link)
    #expect(moved.status == 0 && moved.output.isEmpty, "\(moved.errors)")
    #expect(try Command.run("info", movie).text.contains("fast-start"))
    #expect(try samples() == before)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: movie))
    let again = try Command.run("faststart", movie)
    #expect(again.status == 0 && again.errors.contains("already"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: movie)) == bytes)
    #expect(try FileManager.default.attributesOfItem(atPath: movie)[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == movie)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["link.mp4", "movie.mp4"])
  }

  @Test("fragments are refused with what to do instead, and other errors keep their numbers")
  func refusals() throws {
    let pieces = folder.path("pieces.mp4")
    try #require(try Command.run("remux", movie, pieces, "--layout", "fragmented").status == 0)
    let refused = try Command.run("faststart", pieces)
    #expect(refused.status == 65 && refused.errors.contains("remux"))
    #expect(try Command.run("faststart", folder.path("nothing.mp4")).status == 66)
    #expect(try Command.run("faststart").status == 64)
    let stream = folder.path("sound.aac")
    try #require(try Command.run("extract", movie, stream).status == 0)
    let sound = try Command.run("faststart", stream)
    #expect(sound.status == 65 && sound.errors.contains("an AAC stream, not a movie"), "\(sound.errors)")
  }

  @Test("killed at any moment, the movie is whole, with its index after or in front")
  func kills() throws {
    let original = try Data(contentsOf: URL(fileURLWithPath: movie))
    let before = try samples()
    var moment = KillMoment(seed: 50)
    var layouts: [String: Int] = [:]
    for _ in 0..<50 {
      try original.write(to: URL(fileURLWithPath: movie))
      try Command.kill(after: moment.next(), "faststart", movie)
      #expect(try samples() == before)
      let isDone = try Command.run("info", movie).text.contains("fast-start")
      layouts[isDone ? "fast-start" : "moov-last", default: 0] += 1
      moment.note(isDone: isDone)
    }
    #expect(layouts.count == 2, "\(layouts)")
  }
}
