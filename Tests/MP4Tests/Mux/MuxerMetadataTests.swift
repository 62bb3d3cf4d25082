import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Tags, covers and chapters, as ffprobe and our own demuxer find them.
@Suite(.inTurn) struct MuxerMetadataTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 7, count: 500)

  private static var metadata: MovieMetadata {
    var metadata = MovieMetadata()
    metadata.tags = [
      .init("title", "Łódź – 歌"), .init("artist", "A lyrebird"), .init("trkn", "3/12"), .init("disk", "1/2"),
      .init("tmpo", "120"), .init("cpil", "1"), .init("com.apple.iTunes:ISRC", "XX1234567890"),
      .init("com.apple.quicktime.make", "Nobody"),
    ]
    metadata.artwork = [.init(format: "jpeg", data: .bytes(picture[...]))]
    return metadata
  }

  private static let chapters = [
    Chapter(start: MediaTime(value: 5, timescale: 1), title: "The middle"),
    Chapter(start: MediaTime(value: 5, timescale: 10), title: "The start"),
    Chapter(start: MediaTime(value: 22_050 * 15, timescale: 44100), title: String(repeating: "é", count: 200)),
  ]

  private func muxed(
    _ layout: MuxedLayout, chapters: [Chapter] = Self.chapters, picture: [UInt8]? = nil
  ) throws -> String {
    let path = folder.path("\(layout.rawValue).m4a")
    let sound = MadeSound(heard: 441_000)
    var options = layout.options
    options.metadata = Self.metadata
    if let picture { options.metadata.artwork = [.init(format: "jpeg", data: .bytes(picture[...]))] }
    options.chapters = chapters
    var track = sound.track
    track.track.language = "pol"
    track.track.name = "Voice"
    let muxer = try MP4Muxer(path: path, tracks: [track], options: options)
    for packet in sound.packets { try muxer.append(packet) }
    try muxer.finish()
    return path
  }

  @Test("our demuxer finds every tag, the cover, the chapters, language and name", arguments: MuxedLayout.allCases)
  func own(layout: MuxedLayout) throws {
    let movie = try MP4Demuxer(path: try muxed(layout))
    #expect(movie.issues.isEmpty)
    let found = Set(movie.metadata.tags.filter { $0.name != "iTunSMPB" })
    #expect(found == Set(Self.metadata.tags))
    #expect(movie.metadata["iTunSMPB"] == nil || layout != .fragmented)
    #expect(movie.metadata.artwork.map(\.format) == ["jpeg"])
    #expect(try movie.metadata.artwork.first?.data.load() == Self.picture[...])
    let titles = ["The start", "The middle", String(repeating: "é", count: layout == .fragmented ? 127 : 200)]
    #expect(try movie.chapters().map(\.title) == titles)
    #expect(try movie.chapters().map(\.start.seconds) == [0.5, 5, 7.5])
    #expect(movie.metadata.listedChapters.map(\.start.seconds) == [0.5, 5, 7.5])
    #expect(movie.tracks[0].language == "pol" && movie.tracks[0].name == "Voice")
    #expect(movie.brands.major == "M4A " && movie.audioTrack?.id == 1)
    #expect(movie.duration == MediaTime(value: 10, timescale: 1))
  }

  @Test(
    "ffprobe finds them too", .needs(.ffprobe),
    arguments: MuxedLayout.allCases)
  func probe(layout: MuxedLayout) throws {
    let cover = folder.path("cover.jpg")
    try MadeMedia.make(["-f", "lavfi", "-i", "testsrc2=size=64x64", "-frames:v", "1", cover])
    let path = try muxed(layout, picture: [UInt8](try Data(contentsOf: URL(fileURLWithPath: cover))))
    let result = try Tool.ffprobe.run([
      "-v", "error", "-show_chapters", "-show_format", "-show_streams", "-of", "json", path,
    ])
    // The packets are noise, and the decoder says so; the reader must not.
    #expect(result.status == 0 && !result.errors.contains("[mov"), "\(result.errors)")
    let object = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let format = try #require(object["format"] as? [String: Any])
    #expect(format["duration"] as? String == "10.000000" || layout == .fragmented)
    let tags = try #require(format["tags"] as? [String: String])
    let want = [
      "title": "Łódź – 歌", "artist": "A lyrebird", "track": "3/12", "disc": "1/2", "compilation": "1",
      "ISRC": "XX1234567890", "com.apple.quicktime.make": "Nobody",
    ]
    for (name, value) in want { #expect(tags[name] == value, "\(name)") }
    let streams = try #require(object["streams"] as? [[String: Any]])
    let sound = try #require(streams.first { $0["codec_type"] as? String == "audio" })
    #expect((sound["tags"] as? [String: String])?["language"] == "pol")
    #expect((sound["tags"] as? [String: String])?["handler_name"] == "Voice")
    #expect(streams.contains { $0["codec_name"] as? String == "mjpeg" })
    let chapters = try #require(object["chapters"] as? [[String: Any]])
    #expect(chapters.map { $0["start_time"] as? String } == ["0.500000", "5.000000", "7.500000"])
    let titles = chapters.map { ($0["tags"] as? [String: String])?["title"] ?? "" }
    #expect(titles.prefix(2) == ["The start", "The middle"])
    #expect(titles.last?.allSatisfy { $0 == "é" } == true)
  }

  @Test("chapters from the beginning on need no edit; the time of creation is said only when asked for")
  func details() throws {
    let chapters = [
      Chapter(start: .zero, title: "One"), Chapter(start: MediaTime(value: 3, timescale: 1), title: "Two"),
    ]
    let movie = try MP4Demuxer(path: try muxed(.moovLast, chapters: chapters))
    #expect(movie.tracks.count == 2 && movie.tracks[1].edits.isEmpty && !movie.tracks[1].isEnabled)
    #expect(try movie.chapters() == chapters)
    let records = Delivery(movie.samples(of: movie.tracks[1])).records
    #expect(records.map { Double($0.duration) / Double(movie.tracks[1].timescale) } == [3, 7])
  }

  /// Players show the first or the last of several items with one name.
  @Test("several values of a tag are in one item")
  func severalValues() throws {
    var options = MuxerOptions()
    options.metadata.tags = [.init("artist", "One"), .init("title", "A song"), .init("artist", "Two")]
    let sound = MadeSound(heard: 44_100)
    let muxer = try MP4Muxer(path: folder.path("two.m4a"), tracks: [sound.track], options: options)
    for packet in sound.packets { try muxer.append(packet) }
    try muxer.finish()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("two.m4a")))
    let name = Data([0xA9] + Array("ART".utf8))
    let first = try #require(bytes.range(of: name))
    #expect(bytes[first.upperBound...].range(of: name) == nil)
    let tags = try MP4Demuxer(path: folder.path("two.m4a")).metadata.tags.filter { $0.name == "artist" }
    #expect(tags.map(\.value) == ["One", "Two"])
  }

  /// ffmpeg reads it as a signed number.
  @Test("the ticks of a movie fit in 31 bits, whatever those of its tracks")
  func movieTimescale() throws {
    var tracks: [MuxerTrack] = []
    for (kind, timescale) in [(Track.Kind.video, 12_800), (.audio, 48_000), (.audio, 44_100), (.text, 1_000_000)] {
      var track = MadeSound(heard: 44_100).track
      track.track = Track(id: UInt32(tracks.count + 1), kind: kind, timescale: UInt32(timescale))
      track.track.descriptions = MadeSound(heard: 44_100).track.track.descriptions
      tracks.append(track)
    }
    let muxer = try MP4Muxer(path: folder.path("ticks.mp4"), tracks: tracks)
    var packet = try #require(MadeSound(heard: 44_100).packets.first)
    packet.trackID = 3
    try muxer.append(packet)
    try muxer.finish()
    let timescale = try MP4Demuxer(path: folder.path("ticks.mp4")).timescale
    #expect(timescale == 28_224_000)
  }
}
