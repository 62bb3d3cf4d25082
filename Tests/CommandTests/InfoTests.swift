import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct InfoTests {
  /// The fields that `docs/json.md` promises.
  private struct Info: Decodable {
    let file: String
    let size: Int
    let container: String
    let layout: String
    let major_brand: String
    let brands: [String]
    let duration: Time
    let tracks: [Track]
    let tags: [Tag]
    let chapters: [Chapter]

    struct Time: Decodable {
      let value: Int
      let timescale: Int
      let seconds: Double
    }
    struct Track: Decodable {
      let id: Int
      let kind: String
      let codec: String
      let codec_name: String
      let codec_string: String
      let timescale: Int
      let duration: Time
      let media_duration: Time
      let samples: Int
      let bytes: Int
      let language: String
      let enabled: Bool
      let width: Int?
      let height: Int?
      let sample_rate: Double?
      let channels: Int?
      let edits: [Edit]
      let references: [String: [Int]]
    }
    struct Edit: Decodable {
      let duration: Time
      let media_time: Time?
      let rate: Double
    }
    struct Tag: Decodable {
      let identifier: String
      let name: String
      let value: String
    }
    struct Chapter: Decodable {
      let start: Time
      let title: String
    }
  }

  @Test("info --json holds what docs/json.md promises, and what the demo's movie was made with")
  func documentedFields() throws {
    let movie = Demo.path
    let result = try Command.run("info", "--json", movie)
    #expect(result.status == 0)
    let info = try JSONDecoder().decode(Info.self, from: result.output)
    #expect(info.container == "mp4" && info.layout == "fast-start" && info.major_brand == "isom")
    #expect(info.duration.seconds == 4)
    #expect(info.tracks.map(\.kind) == ["video", "audio", "text"])
    #expect(info.tracks.map(\.samples) == [96, 174, 2])
    #expect(info.tracks[0].width == 192 && info.tracks[0].height == 108)
    #expect(info.tracks[1].sample_rate == 44100 && info.tracks[1].channels == 2 && info.tracks[1].language == "eng")
    #expect(info.tracks[1].codec_string == "mp4a.40.2" && info.tracks[1].codec_name == "AAC-LC")
    #expect(info.tracks[1].edits.map(\.media_time?.value) == [1024])
    #expect(info.tracks[0].references == ["chap": [3]])
    #expect(info.chapters.map(\.title) == ["It hears", "It sings"])
    #expect(info.chapters.map(\.start.seconds) == [0, 2])
    #expect(info.tags.first { $0.name == "title" }?.value == "The lyrebird's demo")
  }

  @Test("info on a terminal: the codec's name is dimmed, and its control sequences are not shown as text")
  func styledHeading() throws {
    let terminal = try PseudoTerminal()
    let line = "exec \"$0\" info \"$1\" >\"$2\""
    #expect(try Tool.run("/bin/sh", ["-c", line, Command.path, Demo.path, terminal.path]).status == 0)
    #expect(terminal.waitUntil(shows: "track 2  audio  AAC-LC  mp4a.40.2"))
  }

  @Test(
    "info agrees with ffprobe on what ffmpeg made",
    .needs(.ffmpeg, .ffprobe),
    arguments: [[], ["-movflags", "+faststart"], ["-movflags", "frag_keyframe+empty_moov"]])
  func agreesWithFFprobe(options: [String]) throws {
    let folder = try TemporaryFolder()
    let movie = folder.path("movie.mp4")
    try MadeMedia.movie(movie, options: options + ["-metadata", "title=Fünf & six", "-metadata:s:a:0", "language=deu"])
    let ours = try JSONDecoder().decode(Info.self, from: try Command.run("info", "--json", movie).output)
    let probe = try Tool.ffprobe.run([
      "-v", "error", "-of", "json", "-show_format", "-show_streams", "-count_packets", movie,
    ])
    let theirs = try #require(try JSONSerialization.jsonObject(with: probe.output) as? [String: Any])
    let streams = try #require(theirs["streams"] as? [[String: Any]])
    for (track, stream) in zip(ours.tracks, streams) {
      #expect(track.codec == stream["codec_tag_string"] as? String)
      #expect("\(track.samples)" == stream["nb_read_packets"] as? String)
      #expect(track.width == stream["width"] as? Int && track.height == stream["height"] as? Int)
      #expect("1/\(track.timescale)" == stream["time_base"] as? String)
      if let rate = stream["sample_rate"] as? String { #expect(track.sample_rate == Double(rate)) }
      let tags = stream["tags"] as? [String: String]
      #expect(track.language == tags?["language"])
    }
    let format = try #require(theirs["format"] as? [String: Any])
    let seconds = try #require(Double(format["duration"] as? String ?? ""))
    #expect(abs(ours.duration.seconds - seconds) < 0.05)
    #expect(ours.tags.first { $0.name == "title" }?.value == (format["tags"] as? [String: String])?["title"])
  }

  @Test(
    "a band replication layer that nothing announces is found in the packets, as ffprobe finds it",
    .needs(.corpus, .ffprobe),
    arguments: ["al_sbr_cm_48_2", "al_sbr_cm_48_5.1"])
  func implicitSBR(name: String) throws {
    let folder = try TemporaryFolder()
    // An ADTS header has no room to announce SBR in.
    let (movie, stream) = (Shared.folder.appendingPathComponent("aac/\(name).mp4").path, folder.path("stream.aac"))
    _ = try Command.run("extract", movie, stream)
    let probe = try Tool.ffprobe.run([
      "-v", "error", "-show_entries", "stream=profile,sample_rate,channels", "-of", "csv=p=0", stream,
    ])
    let track = try #require(
      (JSONSerialization.jsonObject(with: Command.run("info", "--json", stream).output) as? [String: Any])?["tracks"]
        as? [[String: Any]]
    ).first
    let found = try #require(track)
    let rate = try #require(found["sample_rate"] as? Double)
    let words = "\(found["codec_name"] ?? ""),\(Int(rate)),\(found["channels"] ?? "")"
    #expect(words == String(decoding: probe.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  @Test(
    "info agrees with ffprobe on the sound of codecs whose sample entry lies",
    .needs(.ffmpeg, .ffprobe),
    arguments: [
      ("flac", 96_000, "mp4"), ("flac", 192_000, "mp4"), ("flac", 88_200, "mp4"), ("alac", 96_000, "m4a"),
      ("libopus", 16_000, "mp4"), ("pcm_s24be", 96_000, "mov"), ("pcm_f64le", 192_000, "mov"), ("ac3", 32_000, "mp4"),
    ])
  func liesOfSampleEntries(codec: String, rate: Int, type: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("sound.\(type)")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "sine=r=\(rate):d=0.3", "-ar", "\(rate)", "-ac", "2", "-c:a", codec, "-strict", "-2", path,
    ])
    let ours = try JSONDecoder().decode(Info.self, from: try Command.run("info", "--json", path).output)
    let probe = try Tool.ffprobe.run([
      "-v", "error", "-show_entries", "stream=sample_rate,channels", "-of", "csv=p=0", path,
    ])
    let track = try #require(ours.tracks.first)
    let theirs = String(decoding: probe.output, as: UTF8.self).split { ",\n".contains($0) }
    #expect(theirs == ["\(Int(track.sample_rate ?? 0))", "\(track.channels ?? 0)"])
  }

  @Test(
    "the time of creation is said as ffprobe says it",
    .needs(.ffmpeg),
    arguments: [
      "1999-12-31T23:59:59Z", "2000-02-29T12:00:00Z", "2024-02-29T00:00:00Z", "2038-01-19T03:14:08Z",
    ])
  func creationTime(time: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("sound.mp4")
    try MadeMedia.make(["-f", "lavfi", "-i", "sine=d=0.1", "-metadata", "creation_time=\(time)", path])
    #expect(try Command.run("info", "--json", path).text.contains("\"creation_time\":\"\(time)\""))
    #expect(try Command.run("info", path).text.contains(time))
  }

  @Test("the one sample of a time code is not said in the plural", .needs(.ffmpeg))
  func oneSample() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pictures.mov")
    try MadeMedia.make(["-f", "lavfi", "-i", "testsrc=d=0.2", "-timecode", "01:02:03:04", path])
    let text = try Command.run("info", path).text
    #expect(text.contains(" 1 sample,") && !text.contains(" 1 samples"))
  }

  @Test("the size of an ADTS file is the file's, headers included, not that of the packets in it")
  func sizeOfStream() throws {
    let (folder, movie) = try Demo.movie()
    let stream = folder.path("stream.aac")
    _ = try Command.run("extract", movie, stream)
    let size = try #require(try FileManager.default.attributesOfItem(atPath: stream)[.size] as? Int)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Command.run("info", "--json", stream).output) as? [String: Any])
    #expect(object["size"] as? Int == size)
    // 174 packets with a header of seven bytes each.
    let tracks = try #require(object["tracks"] as? [[String: Any]])
    #expect(tracks.first?["bytes"] as? Int == size - 174 * 7)
  }

  @Test("a file alone is described without the parser of arguments as it is with it")
  func fileAlone() throws {
    let (folder, movie) = try Demo.movie()
    defer { withExtendedLifetime(folder) {} }
    let alone = try Command.run("info", movie)
    #expect(alone.status == 0 && alone.text.contains("track 2"))
    #expect(try Command.run("info", "--", movie).text == alone.text)
    // What begins with a dash is an option until the parser says otherwise.
    #expect(try Command.run("info", "-h").text.contains("USAGE: lyrebird info"))
    let missing = try Command.run("info", "")
    #expect(missing.status == 66)
    #expect(try Command.run("info", "--", "").errors == missing.errors)
  }

  @Test("text for people shows no control characters of the file's")
  func controlCharactersAreNotPrinted() throws {
    let (folder, movie) = try Demo.movie()
    defer { withExtendedLifetime(folder) {} }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: movie))
    let title = try #require(bytes.range(of: Data("The lyrebird's".utf8)))
    bytes.replaceSubrange(title.lowerBound..<(title.lowerBound + 4), with: [0x1B, 0x5B, 0x32, 0x4A])
    let evil = folder.path("evil.mp4")
    try bytes.write(to: URL(fileURLWithPath: evil))
    for words in [["info", evil], ["boxes", evil], ["info", "--json", evil], ["boxes", "--json", evil]] {
      let result = try Tool.run(Command.path, words)
      #expect(result.status == 0)
      #expect(!result.output.contains(0x1B), "\(words)")
    }
  }
}
