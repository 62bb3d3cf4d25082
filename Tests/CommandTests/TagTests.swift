import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct TagTests {
  private let folder: TemporaryFolder
  private let movie: String

  init() throws {
    folder = try TemporaryFolder()
    movie = folder.path("movie.mp4")
    try FileManager.default.copyItem(atPath: Demo.path, toPath: movie)
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func samples() throws -> [String] {
    let lines = try Command.run("packets", "--json", movie).text.split(separator: "\n")
    return lines.map { $0.split(separator: ",").filter { !$0.contains("offset") }.joined(separator: ",") }
  }

  @Test("tags are set, shown as text and JSON, and removed; a dry run changes nothing")
  func setsAndShows() throws {
    let before = try samples()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: movie))
    let words = ["tag", movie, "--title", "Dawn", "--artist", "One", "--artist", "Two", "--set", "media-kind=music"]
    let dry = try object(try Command.run(words + ["--dry-run", "--json"]).text)
    #expect(dry["dry_run"] as? Bool == true && dry["outcome"] as? String != "unchanged")
    #expect(try Data(contentsOf: URL(fileURLWithPath: movie)) == bytes)
    let tagged = try Command.run(words)
    #expect(tagged.status == 0 && tagged.output.isEmpty && tagged.errors.contains("tagged"), "\(tagged.errors)")
    #expect(try samples() == before)
    let shown = try Command.run("tag", movie).text
    #expect(shown.contains("title               Dawn\n") && shown.contains("artist              Two\n"))
    let tags = try #require(try object(try Command.run("tag", movie, "--json").text)["tags"] as? [[String: Any]])
    #expect(tags.contains { $0["identifier"] as? String == "stik" && $0["value"] as? String == "1" })
    #expect(try Command.run("tag", movie, "--remove-all", "--creation-time", "2001-02-03T04:05:06Z").status == 0)
    let bare = try object(try Command.run("tag", movie, "--json").text)
    #expect((bare["tags"] as? [Any])?.isEmpty == true)
    #expect(bare["creation_time"] as? String == "2001-02-03T04:05:06Z")
    #expect(try samples() == before)
  }

  @Test("ffprobe and exiftool read what was written", .needs(.ffprobe))
  func othersRead() throws {
    let words = [
      "--title", "Łódź – 歌", "--track", "3/12", "--album-artist", "All", "--set", "com.apple.iTunes:ISRC=XX12",
    ]
    #expect(try Command.run(["tag", movie] + words).status == 0)
    let result = try Tool.ffprobe.run(["-v", "error", "-show_format", "-of", "json", movie])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let format = try #require(try object(String(decoding: result.output, as: UTF8.self))["format"] as? [String: Any])
    let tags = try #require(format["tags"] as? [String: String])
    #expect(tags["title"] == "Łódź – 歌" && tags["track"] == "3/12" && tags["album_artist"] == "All")
    #expect(tags["ISRC"] == "XX12")
    let exiftool = Tool(name: "exiftool")
    guard exiftool.path != nil else { return }
    let text = String(decoding: try exiftool.run(["-s", movie]).output, as: UTF8.self)
    #expect(text.contains("Łódź – 歌") && text.contains("3 of 12"), "\(text)")
  }

  @Test("what cannot be is refused with what was meant")
  func refusals() throws {
    let misspelt = try Command.run("tag", movie, "--set", "titel=x")
    #expect(misspelt.status == 64 && misspelt.errors.contains("did you mean 'title'?"), "\(misspelt.errors)")
    let value = try Command.run("tag", movie, "--track", "first")
    #expect(value.status == 64 && value.errors.contains("3/12"), "\(value.errors)")
    let text = folder.path("cover.txt")
    try Data("no picture".utf8).write(to: URL(fileURLWithPath: text))
    let cover = try Command.run("tag", movie, "--cover", text)
    #expect(cover.status == 64 && cover.errors.contains("cover.txt"), "\(cover.errors)")
    let tag = try Command.run("tag", movie, "--set", "cover=cover.jpg")
    #expect(tag.status == 64 && tag.errors.contains("--cover"), "\(tag.errors)")
    #expect(try Command.run("tag", movie, "--track", "1", "--track", "2").status == 64)
    #expect(try Command.run("tag", folder.path("nothing.mp4"), "--title", "x").status == 66)
    #expect(try Command.run("tag", folder.path(""), "--title", "x").status == 66)
    let pipe = try Command.run("tag", "-", "--title", "x")
    #expect(pipe.status == 64 && pipe.errors.contains("file"), "\(pipe.errors)")
    #expect(try Command.run("tag", movie, "--creation-time", "2026-02-30").status == 64)
  }

  @Test("the ID3 tag of an .aac file is shown by tag and info, and not changed")
  func streams() throws {
    let sound = folder.path("sound.aac")
    #expect(try Command.run("extract", movie, sound).status == 0)
    let text = Array("Dawn".utf8)
    let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(text.count + 1), 0, 0, 3] + text
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    let stream = Data(tag) + (try Data(contentsOf: URL(fileURLWithPath: sound)))
    try stream.write(to: URL(fileURLWithPath: sound))
    #expect(try Command.run("tag", sound).text.contains("title               Dawn"))
    #expect(try Command.run("info", sound).text.contains("Dawn"))
    let refused = try Command.run("tag", sound, "--title", "Dusk")
    #expect(refused.status == 65 && refused.errors.contains("only shown"), "\(refused.errors)")
  }

  @Test("killed at any moment, the movie is whole, with the old tags or the new ones")
  func kills() throws {
    let cover = folder.path("cover.jpg")
    try Data([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 100_000)).write(to: URL(fileURLWithPath: cover))
    let original = try Data(contentsOf: URL(fileURLWithPath: movie))
    let before = try samples()
    var moment = KillMoment(seed: 60)
    var states: [Bool: Int] = [:]
    for _ in 0..<50 {
      try original.write(to: URL(fileURLWithPath: movie))
      try Command.kill(after: moment.next(), "tag", movie, "--title", "Killed", "--cover", cover)
      #expect(try samples() == before)
      let shown = try Command.run("tag", movie).text
      let isDone = shown.contains("Killed")
      #expect(shown.contains("jpeg, 100 kB") == isDone)
      states[isDone, default: 0] += 1
      moment.note(isDone: isDone)
    }
    #expect(states.count == 2, "\(states)")
  }
}
