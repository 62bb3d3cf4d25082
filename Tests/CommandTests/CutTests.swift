import Foundation
import TestSupport
import Testing

/// `lyrebird cut`, from outside.
@Suite(.inTurn) struct CutTests {
  private let folder: TemporaryFolder
  private let movie: String

  init() throws {
    folder = try TemporaryFolder()
    movie = folder.path("in.mp4")
  }

  private func object(_ arguments: String...) throws -> [String: Double] {
    let words = ["cut", movie, folder.path("out.mp4"), "--json"] + arguments
    let result = try Tool.run(Command.path, words)
    try #require(result.status == 0, "\(result.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any] ?? [:]
    return object.compactMapValues { $0 as? Double }
  }

  @Test("places are times, pictures and chapters", .needs(.ffmpeg))
  func places() throws {
    let chapters = folder.path("chapters.txt")
    let text = """
      ;FFMETADATA1
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=1500
      title=First part
      [CHAPTER]
      TIMEBASE=1/1000
      START=1500
      END=4000
      title=Second
      """
    try text.write(toFile: chapters, atomically: true, encoding: .utf8)
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=s=64x48:r=20:d=4", "-f", "lavfi", "-i", "sine=d=4", "-i", chapters, "-map", "0",
      "-map", "1", "-map_chapters", "2", "-c:v", "mpeg4", "-c:a", "aac", movie,
    ])
    let time = try object("--from", "0:01.25", "--to", "2.5")
    #expect(time["start"] == 1.25 && abs((time["duration"] ?? 0) - 1.25) < 1e-4)
    let picture = try object("--from", "#10", "--to", "#15")
    #expect(picture["start"] == 0.5 && abs((picture["duration"] ?? 0) - 0.25) < 1e-4)
    let chapter = try object("--from", "first part", "--to", "First part")
    #expect(chapter["start"] == 0 && abs((chapter["duration"] ?? 0) - 1.5) < 1e-4)
    for (words, reason) in [
      (["--from", "Third"], "\"First part\""), (["--from", "#80"], "no video frame #80"),
      (["--from", "9"], "at or after the end"), (["--from", "2", "--to", "1"], "later than"), ([], "what to keep"),
    ] {
      let result = try Tool.run(Command.path, ["cut", movie, folder.path("no.mp4")] + words)
      #expect(result.status == 64 && result.errors.contains(reason), "\(words): \(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("no.mp4")))
    }
  }

  @Test("a movie can be cut in place", .needs(.ffmpeg))
  func inPlace() throws {
    try MadeMedia.movie(movie, seconds: 3)
    let result = try Command.run("cut", movie, movie, "--to", "1")
    #expect(result.status == 0 && result.errors.contains("0:01.000 long, from 0:00.000"), "\(result.errors)")
    #expect(try Command.run("info", movie).text.contains("0:01.0"))
  }
}
