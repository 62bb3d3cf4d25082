import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct RemuxTests {
  static let layouts = ["fast-start", "moov-last", "fragmented"]

  @Test(
    "every layout keeps the payloads and times that ffmpeg sees",
    .needs(.ffmpeg),
    arguments: [[], ["-movflags", "+faststart"], ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]])
  func payloadsAndTimes(source: [String]) throws {
    let folder = try TemporaryFolder()
    let movie = folder.path("in.mp4")
    try MadeMedia.movie(movie, seconds: 4, options: source + ["-metadata", "title=A title"])
    let before = try Self.frames(movie)
    for layout in Self.layouts {
      let output = folder.path("\(layout).mp4")
      let result = try Command.run("remux", movie, output, "--layout", layout)
      try #require(result.status == 0, "\(layout): \(result.errors)")
      #expect(try Self.frames(output) == before, "\(layout)")
      #expect(try Command.run("info", output).text.contains("A title"))
    }
    withExtendedLifetime(folder) {}
  }

  /// What ffmpeg reads from a movie, edit lists ignored: for each packet its track, times, size and payload's sum.
  /// Durations are left out: of a fragment's last packet ffmpeg guesses it, and the corpus check compares them.
  private static func frames(_ path: String) throws -> [String] {
    let result = try Tool.ffmpeg.run([
      "-nostdin", "-v", "error", "-ignore_editlist", "1", "-i", path, "-map", "0", "-c", "copy", "-f", "framemd5", "-",
    ])
    try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return lines.map { line in
      line.split(separator: ",").enumerated().filter { $0.offset != 3 }.map(\.element).joined(separator: ",")
    }.sorted()
  }

  @Test(
    "rotation survives, and the pictures decode without a message",
    .needs(.ffmpeg))
  func rotationAndDecoding() throws {
    let folder = try TemporaryFolder()
    let (plain, turned) = (folder.path("plain.mp4"), folder.path("turned.mp4"))
    try MadeMedia.movie(plain)
    try MadeMedia.make(["-i", plain, "-c", "copy", "-metadata:s:v", "rotate=90", turned])
    let before = try Self.rotation(turned)
    try #require(before.contains("rotation="))
    for layout in Self.layouts {
      let output = folder.path("\(layout).mp4")
      try #require(try Command.run("remux", turned, output, "--layout", layout).status == 0)
      #expect(try Self.rotation(output) == before, "\(layout)")
      let decoded = try Tool.ffmpeg.run(["-nostdin", "-v", "warning", "-i", output, "-f", "null", "-"])
      #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(layout): \(decoded.errors)")
    }
    withExtendedLifetime(folder) {}
  }

  /// What ffprobe says of the transform.
  private static func rotation(_ path: String) throws -> String {
    let result = try Tool.ffprobe.run([
      "-v", "error", "-select_streams", "v", "-show_entries", "stream_side_data=rotation", path,
    ])
    return String(decoding: result.output, as: UTF8.self)
  }

  @Test("the same input and options give the same bytes, and a second remux changes nothing", arguments: layouts)
  func determinism(layout: String) throws {
    let folder = try TemporaryFolder()
    let outputs = ["a", "b", "c"].map { folder.path("\($0).mp4") }
    for (input, output) in [(Demo.path, outputs[0]), (Demo.path, outputs[1]), (outputs[0], outputs[2])] {
      try #require(try Command.run("remux", input, output, "--layout", layout).status == 0)
    }
    let bytes = try outputs.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0] == bytes[2])
  }

  @Test("there and back: a progressive movie survives being fragmented, sample by sample")
  func thereAndBack() throws {
    let folder = try TemporaryFolder()
    let (pieces, whole) = (folder.path("pieces.mp4"), folder.path("whole.mp4"))
    try #require(try Command.run("remux", Demo.path, pieces, "--layout", "fragmented", "--fragment", "1").status == 0)
    try #require(try Command.run("remux", pieces, whole).status == 0)
    #expect(try Self.samples(whole) == Self.samples(Demo.path))
    #expect(try Self.samples(pieces) == Self.samples(Demo.path))
  }

  /// Every sample without its place in the file.
  private static func samples(_ path: String) throws -> [String] {
    let lines = try Command.run("packets", "--json", path).text.split(separator: "\n")
    return lines.map { line in
      line.split(separator: ",").filter { !$0.contains("offset") }.joined(separator: ",")
    }
  }

  @Test("the sound of a movie has the brand of a file of sound, and the movie its own", .needs(.ffmpeg))
  func brands() throws {
    let folder = try TemporaryFolder()
    let movie = folder.path("movie.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc=d=1:s=64x64", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "libx264", "-c:a", "aac",
      movie,
    ])
    func brand(_ words: String...) throws -> String {
      let output = folder.path("out.m4a")
      let result = try Tool.run(Command.path, [words[0], movie, output] + words.dropFirst())
      #expect(result.status == 0, "\(result.errors)")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
      let type = bytes.prefix(40)
      #expect(type.range(of: Data("avc1".utf8)) == nil || !words.contains("audio"))
      return String(decoding: bytes[8..<12], as: UTF8.self)
    }
    #expect(try brand("remux", "--tracks", "audio") == "M4A ")
    #expect(try brand("remux", "--tracks", "audio", "--layout", "fragmented") == "M4A ")
    #expect(try brand("cut", "--tracks", "audio", "--from", "0.2") == "M4A ")
    #expect(try brand("remux") == "isom" && brand("cut", "--from", "0.2") == "isom")
  }

  @Test("an output may be its own input, keeps its mode and stays behind its link")
  func inPlace() throws {
    let (folder, movie) = try Demo.movie()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: movie)
    let link = folder.path("link.mp4")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: movie)
    let before = try Self.samples(movie)
    try #require(try Command.run("remux", link, link, "--layout", "moov-last").status == 0)
    #expect(try Self.samples(movie) == before)
    #expect(try FileManager.default.attributesOfItem(atPath: movie)[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == movie)
    #expect(try Command.run("info", movie).text.contains("moov-last"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["demo.mp4", "link.mp4"])
  }

  @Test("tracks can be chosen, and references to the others go with them", arguments: layouts)
  func chosenTracks(layout: String) throws {
    let folder = try TemporaryFolder()
    for (kind, words) in [("audio", ["track 2  audio"]), ("video", ["track 1  video"])] {
      let output = folder.path("\(kind).mp4")
      try #require(try Command.run("remux", Demo.path, output, "--tracks", kind, "--layout", layout).status == 0)
      let text = try Command.run("info", output).text
      #expect(words.allSatisfy(text.contains) && text.components(separatedBy: "\ntrack ").count == 2)
      #expect(!text.contains("refers to track"))
    }
  }

  @Test("tracks can be chosen by number in whatever copies packets, and one that is not there is refused")
  func numberedTracks() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("out.mp4")
    func info() throws -> String { try Command.run("info", output).text }
    try #require(try Command.run("remux", Demo.path, output, "--tracks", "2").status == 0)
    #expect(try info().contains("track 2  audio") && !info().contains("video"))
    try #require(try Command.run("remux", Demo.path, output, "--tracks", "2,1", "--layout", "fragmented").status == 0)
    #expect(try info().contains("track 2  audio") && info().contains("track 1  video"))
    try #require(try Command.run("cut", Demo.path, output, "--from", "0.2", "--tracks", "1").status == 0)
    #expect(try info().contains("track 1  video") && !info().contains("audio"))
    try #require(try Command.run("join", Demo.path, Demo.path, output, "--replace", "--tracks", "2").status == 0)
    #expect(try info().contains("audio") && !info().contains("video"))
    let before = try Data(contentsOf: URL(fileURLWithPath: output))
    for words in [["remux", Demo.path], ["cut", Demo.path, "--from", "0.2"], ["join", Demo.path, Demo.path]] {
      let files =
        words[0] == "join" ? words + [output, "--replace"] : [words[0], words[1], output] + words.dropFirst(2)
      let refused = try Tool.run(Command.path, files + ["--tracks", "2,7"])
      #expect(refused.status == 65 && refused.errors.contains("track 7: no such track"), "\(refused.errors)")
      #expect(refused.errors.contains("`lyrebird info` lists the tracks"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == before)
    for wrong in ["", "1,", "x", "-1", "1,x", "4294967296"] {
      #expect(try Command.run("remux", Demo.path, output, "--tracks", wrong).status == 64, "\(wrong)")
    }
  }

  @Test(
    "a cut movie is refused with what is missing; --recover keeps what is whole and says what is not",
    arguments: layouts)
  func recovery(layout: String) throws {
    let (folder, movie) = try Demo.movie()
    let (cut, output) = (folder.path("cut.mp4"), folder.path("out.mp4"))
    try Data(contentsOf: URL(fileURLWithPath: movie)).prefix(40_000).write(to: URL(fileURLWithPath: cut))
    let refused = try Command.run("remux", cut, output, "--layout", layout)
    #expect(refused.status == 65 && refused.errors.contains("missing"))
    #expect(!FileManager.default.fileExists(atPath: output))
    let saved = try Command.run("remux", cut, output, "--layout", layout, "--recover")
    try #require(saved.status == 0, "\(saved.errors)")
    #expect(saved.errors.contains("the rest of the track was left out"))
    // The whole samples of the cut movie are the samples of the saved one; but the last of a track in fragments lasts
    // as long as the next one would have let it.
    let kept = try Self.samples(cut)
    #expect(try Self.samples(output).count == kept.count && !kept.isEmpty)
    #expect(try Command.run("packets", output).status == 0)
  }

  @Test("a device is written to and left; a full one is exit 74")
  func devices() throws {
    #expect(try Command.run("remux", Demo.path, "/dev/null").status == 0)
    #expect(try Command.run("remux", Demo.path, "/dev/full").status == 74)
    let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
    #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
  }

  @Test("wrong combinations of options are exit 64")
  func usage() throws {
    #expect(try Command.run("remux", Demo.path, "/dev/null", "--fragment", "2").status == 64)
    #expect(try Command.run("remux", Demo.path, "/dev/null", "--layout", "fragmented", "--fragment", "0").status == 64)
    #expect(try Command.run("remux", Demo.path, "/dev/null", "--layout", "sideways").status == 64)
  }
}
