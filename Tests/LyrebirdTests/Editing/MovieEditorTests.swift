import Foundation
import Lyrebird
import TestSupport
import Testing

/// Stretches of movies, beside the same stretches of what the whole movie decodes to.
@Suite(.inTurn) struct MovieEditorTests {
  private let folder: TemporaryFolder
  private static let rate = 44_100

  init() throws { folder = try TemporaryFolder() }

  /// A movie of three seconds of noise, in packets of the codec.
  private func sound(_ codec: AudioWriter.Codec, chapters: [Chapter] = []) throws -> String {
    let path = folder.path("sound.m4a")
    var options = AudioWriter.Options()
    (options.codec, options.chapters) = (codec, chapters)
    var noise = Noise(seed: 4)
    let samples = (0..<(3 * Self.rate)).map { _ in Float.random(in: -0.2...0.2, using: &noise) }
    let buffer = PCMBuffer(samples, sampleRate: Self.rate, layout: .mono)
    let writer = try AudioWriter(path: path, format: buffer.format, options: options)
    try writer.append(buffer)
    try writer.finish()
    return path
  }

  private func frames(_ path: String) throws -> [Float] { try AudioReader(path: path).read() }

  private func time(_ frame: Int) -> MediaTime { MediaTime(value: Int64(frame), timescale: UInt32(Self.rate)) }

  struct Stretch: Sendable, CustomTestStringConvertible {
    var first: Int
    var end: Int?
    var testDescription: String { "frames \(first) to \(end.map(String.init) ?? "the end")" }
  }

  // From the start, from inside a packet, from where one begins, from a frame before, and a frame alone.
  static let stretches = [
    Stretch(first: 0, end: 50_000), Stretch(first: 12_345, end: 100_001), Stretch(first: 10 * 1024, end: 99_999),
    Stretch(first: 10 * 1024 - 1, end: nil), Stretch(first: 77_777, end: 77_778), Stretch(first: 0, end: nil),
  ]

  @Test(
    "sound is cut to the frame, and decodes as in the whole", arguments: stretches,
    [MovieLayout.fastStart, .moovLast, .fragmented])
  func exactSound(_ stretch: Stretch, layout: MovieLayout) throws {
    for codec in [AudioWriter.Codec.aac, .appleLossless] {
      let movie = try MP4Demuxer(path: try sound(codec))
      let out = folder.path("out.m4a")
      var options = MovieEditor.Options()
      options.layout = layout
      let clip = MovieClip(movie, from: time(stretch.first), to: stretch.end.map(time))
      let summary = try MovieEditor(clip, to: out, options: options).run()
      let whole = try frames(folder.path("sound.m4a"))
      let wanted = Array(whole[stretch.first..<(stretch.end ?? whole.count)])
      #expect(try frames(out) == wanted, "\(codec)")
      #expect(summary.duration == time(wanted.count))
      // What was kept is byte for byte a part of what there was.
      let (source, kept) = (try payloads(folder.path("sound.m4a")), try payloads(out))
      let first = try #require(source.firstIndex(of: kept[0]))
      #expect(Array(source[first..<(first + kept.count)]) == kept)
      #expect(kept.count <= wanted.count / (codec == .aac ? 1024 : 4096) + 4)
    }
  }

  private func payloads(_ path: String) throws -> [[UInt8]] {
    let movie = try MP4Demuxer(path: path)
    var samples = movie.samples(of: try #require(movie.audioTrack))
    var payloads: [[UInt8]] = []
    while let sample = try samples.next() { payloads.append(Array(try sample.payload.load())) }
    return payloads
  }

  @Test("the gapless tag says what the edit list says")
  func gaplessTag() throws {
    let movie = try MP4Demuxer(path: try sound(.aac))
    let out = folder.path("out.m4a")
    try MovieEditor(MovieClip(movie, from: time(30_000), to: time(60_000)), to: out).run()
    let cut = try MP4Demuxer(path: out)
    let words = try #require(cut.metadata["iTunSMPB"]).split(separator: " ").compactMap { Int($0, radix: 16) }
    let packets = try #require(cut.audioTrack).sampleCount
    #expect(words[3] == 30_000 && words[1] + words[2] + words[3] == Int(packets) * 1024)
    #expect(try #require(cut.audioTrack).edits.first?.mediaTime?.value == Int64(words[1]))
  }

  @Test("stretches that follow one another have every frame once")
  func tiles() throws {
    let movie = try MP4Demuxer(path: try sound(.appleLossless))
    let out = folder.path("out.m4a")
    var joined: [Float] = []
    // Times that are no whole frames.
    let places = [0, 0.3333, 1.00001, 1.7, 2.9999].map {
      MediaTime(value: Int64(($0 * 1e9).rounded()), timescale: 1_000_000_000)
    }
    for (index, place) in places.enumerated() {
      let end = index + 1 < places.count ? places[index + 1] : nil
      try MovieEditor(MovieClip(movie, from: place, to: end), to: out).run()
      joined += try frames(out)
    }
    #expect(try joined == frames(folder.path("sound.m4a")))
  }

  @Test("chapters are cut with the sound: the one that has begun begins with it")
  func chapters() throws {
    let chapters = [(0, "one"), (40_000, "two"), (90_000, "three"), (120_000, "four")].map {
      Chapter(start: time($0.0), title: $0.1)
    }
    let movie = try MP4Demuxer(path: try sound(.aac, chapters: chapters))
    let out = folder.path("out.m4a")
    try MovieEditor(MovieClip(movie, from: time(50_000), to: time(110_000)), to: out).run()
    let cut = try MP4Demuxer(path: out)
    for found in [try cut.chapters(), cut.metadata.listedChapters] {
      #expect(found.map(\.title) == ["two", "three"])
      #expect(found.first?.start == .zero)
      #expect(abs((found.last?.start.seconds ?? 0) - 40_000.0 / Double(Self.rate)) < 0.001)
    }
  }

  @Test("a stretch of nothing is refused, and an old file stays")
  func nothing() throws {
    let movie = try MP4Demuxer(path: try sound(.aac))
    let out = folder.path("out.m4a")
    try Data([1]).write(to: URL(fileURLWithPath: out))
    #expect(throws: MP4Error.self) { try MovieEditor(MovieClip(movie, from: time(200_000)), to: out).run() }
    #expect(throws: MP4Error.self) {
      try MovieEditor(MovieClip(movie, from: time(2000), to: time(1000)), to: out).run()
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: out)) == Data([1]))
  }

  // MARK: Pictures

  /// The sums of the pictures that ffmpeg shows.
  private func pictures(_ path: String) throws -> [String] {
    let result = try Tool.ffmpeg.run([
      "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-vsync", "passthrough", "-f", "framehash", "-",
    ])
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return lines.compactMap { $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces) }
  }

  @Test(
    "the first picture is the one that is shown there, and the last the one before the end", .needs(.ffmpeg),
    arguments: [["-bf", "3"], ["-bf", "0"], ["-bf", "3", "-flags", "-cgop"]],
    [[], ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]])
  func exactPictures(encoding: [String], source: [String]) throws {
    let path = folder.path("in.mp4")
    try MadeMedia.make(
      ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=4", "-c:v", "mpeg4", "-g", "12"] + encoding + source + [path])
    let movie = try MP4Demuxer(path: path)
    let video = try #require(movie.videoTrack)
    let whole = try pictures(path)
    try #require(whole.count == 100)
    let out = folder.path("out.mp4")
    for (first, end) in [(0, 30), (12, 40), (13, 14), (23, 61), (30, 100)] {
      let start = try #require(try movie.presentationTime(ofFrame: UInt64(first), in: video))
      let stop = try movie.presentationTime(ofFrame: UInt64(end), in: video)
      try MovieEditor(MovieClip(movie, from: start, to: stop), to: out).run()
      #expect(try pictures(out) == Array(whole[first..<end]), "\(first) to \(end)")
      // In the middle of a picture, it is shown from there on.
      try MovieEditor(MovieClip(movie, from: start + MediaTime(value: 1, timescale: 50), to: stop), to: out).run()
      #expect(try pictures(out) == Array(whole[first..<end]), "inside \(first) to \(end)")
    }
  }

  @Test("at a keyframe nothing is hidden", .needs(.ffmpeg))
  func keyframes() throws {
    let path = folder.path("in.mp4")
    try MadeMedia.make(["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=4", "-c:v", "mpeg4", "-g", "10", path])
    var options = MovieEditor.Options()
    options.startsAtKeyframe = true
    let out = folder.path("out.mp4")
    let clip = MovieClip(try MP4Demuxer(path: path), from: MediaTime(value: 157, timescale: 100))
    let summary = try MovieEditor(clip, to: out, options: options).run()
    #expect(summary.start == MediaTime(value: 120, timescale: 100))
    #expect(try MP4Demuxer(path: out).videoTrack?.edits.first?.mediaTime?.value ?? 0 == 0)
    #expect(try pictures(out) == Array(try pictures(path)[30...]))
  }

  @Test("PCM is cut where its frames are, without any that is hidden", .needs(.ffmpeg), arguments: ["mov", "mp4"])
  func pcm(ending: String) throws {
    let path = folder.path("in.\(ending)")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "anoisesrc=r=8000:d=3:seed=5", "-c:a", ending == "mov" ? "pcm_s16le" : "aac", path,
    ])
    let whole = try frames(path)
    let out = folder.path("out.\(ending)")
    let clip = MovieClip(
      try MP4Demuxer(path: path), from: MediaTime(value: 5001, timescale: 8000),
      to: MediaTime(value: 20_002, timescale: 8000))
    try MovieEditor(clip, to: out).run()
    let part = try frames(out)
    #expect(part.count == 15_001)
    guard ending == "mov" else { return }
    #expect(part == Array(whole[5001..<20_002]))
    #expect(try MP4Demuxer(path: out).audioTrack?.edits.first?.mediaTime?.value ?? 0 == 0)
  }

  @Test("a cut from the beginning keeps pictures and sound together, as ffprobe has them", .needs(.ffmpeg, .ffprobe))
  func lateFirstPicture() throws {
    let (path, out) = (folder.path("in.mp4"), folder.path("out.mp4"))
    try MadeMedia.movie(path, seconds: 3, options: ["-movflags", "frag_keyframe+empty_moov"])
    try MovieEditor(MovieClip(try MP4Demuxer(path: path), from: .zero, to: MediaTime(value: 2, timescale: 1)), to: out)
      .run()
    func starts(_ path: String) throws -> String {
      let arguments = ["-v", "error", "-show_entries", "stream=codec_type,start_time", "-of", "csv=p=0", path]
      return String(decoding: try Tool.ffprobe.run(arguments).output, as: UTF8.self)
    }
    #expect(try starts(path) == starts(out))
    #expect(try starts(out).contains("video,0.080000"))
  }

  @Test("a few pictures out of open groups with long runs of leading pictures are all shown", .needs(.ffmpeg))
  func longLeads() throws {
    let (path, out) = (folder.path("in.mp4"), folder.path("out.mp4"))
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=3", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt",
      "yuv420p",
      "-x264-params", "bframes=7:keyint=8:min-keyint=1:open-gop=1:scenecut=0:b-pyramid=normal:b-adapt=0", path,
    ])
    func pictures(_ path: String) throws -> [String] {
      let output = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "framemd5", "-"]).output
      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
      return lines.filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map(String.init) }
    }
    let (movie, all) = (try MP4Demuxer(path: path), try pictures(path))
    for first in [9, 27, 36, 45] {
      let times = try [first, first + 3].map { number in
        try #require(try movie.presentationTime(ofFrame: UInt64(number), in: movie.tracks[0]))
      }
      try MovieEditor(MovieClip(movie, from: times[0], to: times[1]), to: out).run()
      #expect(try pictures(out) == Array(all[first..<(first + 3)]), "from picture \(first)")
    }
  }
}
