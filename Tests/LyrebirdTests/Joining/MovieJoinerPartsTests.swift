import Foundation
import Lyrebird
import TestSupport
import Testing

/// Parts that a cut made, and what tracks say about themselves, beside what ffmpeg reads.
@Suite(.inTurn) struct MovieJoinerPartsTests {
  private let folder: TemporaryFolder
  private var output: String { folder.path("out.mov") }

  init() throws { folder = try TemporaryFolder() }

  private func join(_ paths: [String]) throws -> MovieJoiner.Summary {
    try MovieJoiner(try paths.map { try MP4Demuxer(path: $0) }, to: output).run()
  }

  /// Four seconds of pictures and of a tone.
  private func movie(_ name: String, timescale: Int, options: [String] = []) throws -> String {
    let path = folder.path(name)
    let all = ["-video_track_timescale", "\(timescale)"] + options
    try MadeMedia.movie(path, seconds: 4, rate: 48_000, options: all)
    return path
  }

  /// Sums of the pictures that ffmpeg shows.
  private func pictures(_ path: String) throws -> [String] {
    let result = try Tool.ffmpeg.run([
      "-v", "error", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-",
    ])
    try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    return lines.filter { !$0.hasPrefix("#") }.map { String($0.split(separator: " ").last ?? "") }
  }

  /// What ffprobe says of the streams.
  private func probe(_ path: String, _ entries: String) throws -> [String] {
    let result = try Tool.ffprobe.run(["-v", "error", "-show_entries", entries, "-of", "csv=p=0", path])
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  // MARK: The length of parts

  /// The pictures of each part ended at a tick of their own, up to two ticks after the sound: each seam had some frames
  /// of silence, and the packets of the parts were no longer on one grid.
  @Test(
    "a movie that was split is joined to as many frames, without a click, and keeps its packets", .needs(.ffmpeg),
    arguments: [12_800, 11_111, 90_000])
  func seams(timescale: Int) throws {
    let movie = try movie("whole.mp4", timescale: timescale)
    let step = MediaTime(value: 12_345, timescale: 10_000)
    let pieces = try MovieSplitter(try MP4Demuxer(path: movie)).pieces(at: .every(step))
    let paths = try pieces.enumerated().map { number, piece in
      let path = folder.path("part\(number).mp4")
      try MovieEditor(piece.clip, to: path).run()
      return path
    }
    let summary = try join(paths)
    #expect(summary.encodedPackets < 40 && summary.keptPackets > 150)
    let sound = try AudioReader(path: output).read()
    // Two channels.
    try #require(sound.count == 2 * 192_000)
    let middle = sound.indices.dropFirst(8192).dropLast(8192)
    let bends = middle.map { index -> Float in
      let sum: Float = sound[index - 2] + sound[index + 2]
      return abs(sum - 2 * sound[index])
    }
    #expect((bends.max() ?? 1) < 0.005)
    #expect(try pictures(output) == paths.flatMap { try pictures($0) })
  }

  /// 25 pictures a second. The second number is how many begin before the cut ends.
  @Test(
    "a cut shows each picture that begins before it ends, and its pictures end with its sound where they can",
    .needs(.ffmpeg), arguments: [(12_800, 1.2345, 31), (12_800, 1.2001, 31), (12_800, 1.2, 30), (25, 1.21, 31)])
  func pictures(timescale: Int, end: Double, count: Int) throws {
    let movie = try movie("whole.mp4", timescale: timescale)
    var clip = MovieClip(try MP4Demuxer(path: movie))
    clip.end = MediaTime(value: Int64((end * 10_000).rounded()), timescale: 10_000)
    try MovieEditor(clip, to: output).run()
    #expect(try pictures(output).count == count)
    let cut = try MP4Demuxer(path: output)
    let (shown, heard) = (try #require(cut.videoTrack).duration, try #require(cut.audioTrack).duration)
    #expect(abs(heard.seconds - end) < 1 / 48_000)
    let isLonger = Double(count) / 25 - 1 / 25 + 1 / Double(timescale) > end
    #expect(isLonger ? shown > heard : shown == heard, "\(shown), \(heard)")
  }

  /// A movie whose sound ends a frame before its 31 pictures do, at 1.24 s.
  private func shortSound(_ name: String, timescale: Int) throws -> String {
    let source = try MP4Demuxer(path: try movie("source.mp4", timescale: timescale, options: ["-bf", "0"]))
    let tracks = source.tracks.map { track in
      var muxed = MuxerTrack(track)
      let frames: Int64 = track.kind == .audio ? 59_519 : 59_520
      let start = track.edits.first?.mediaTime ?? .zero
      muxed.edits = [Edit(duration: MediaTime(value: frames, timescale: 48_000), mediaTime: start)]
      return muxed
    }
    let muxer = try MP4Muxer(path: folder.path(name), tracks: tracks)
    for track in source.tracks {
      var samples = source.samples(of: track)
      while let sample = try samples.next() {
        // Sound has its priming before it.
        let time = Double(sample.timing.presentationTime) / Double(sample.timing.timescale)
        if time < (track.kind == .audio ? 1.279 : 1.239) { try muxer.append(sample) }
      }
    }
    try muxer.finish()
    return folder.path(name)
  }

  @Test(
    "pictures that outlast the sound by a part of a tick do not add silence, unless one would be lost",
    .needs(.ffmpeg), arguments: [(12_800, 2 * 59_519), (25, 2 * 59_520)])
  func roundedPictures(timescale: Int, frames: Int) throws {
    let part = try shortSound("part.mp4", timescale: timescale)
    try #require(try pictures(part).count == 31)
    let summary = try join([part, part])
    #expect(abs(summary.output.duration.seconds - Double(frames) / 48_000) < 1e-4)
    #expect(try AudioReader(path: output).read().count == 2 * frames)
    #expect(try pictures(output).count == 62)
  }

  // MARK: What tracks say about themselves

  @Test(
    "forced subtitles, commentaries, names and groups of alternatives stay as they are in the first part",
    .needs(.ffmpeg, .ffprobe))
  func marks() throws {
    let (text, part) = (folder.path("text.srt"), folder.path("part.mp4"))
    try "1\n00:00:00,200 --> 00:00:01,800\nHi\n".write(toFile: text, atomically: true, encoding: .utf8)
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2", "-i", text, "-map", "0",
      "-map", "1", "-map", "1", "-map", "2", "-map", "2", "-c:v", "libx264", "-c:a", "aac", "-c:s", "mov_text",
      "-disposition:a:1", "comment", "-disposition:s:1", "forced", "-metadata:s:s:1", "title=French", part,
    ])
    _ = try join([part, part])
    let entries = "stream=codec_type:stream_disposition=forced,comment:stream_tags=handler_name,title,name"
    let (before, after) = (try probe(part, entries), try probe(output, entries))
    #expect(before == after)
    #expect(before.filter { $0.split(separator: ",").contains("1") }.count == 2, "\(before)")
    let groups = try groups(output)
    #expect(try groups == self.groups(part) && Set(groups).count > 1)
  }

  /// The alternate group of each track, 38 bytes after the type of `tkhd` in version 0.
  private func groups(_ path: String) throws -> [Int] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let places = bytes.indices.filter { bytes[$0...].starts(with: Array("tkhd".utf8)) }
    return places.map { Int(bytes[$0 + 38]) << 8 | Int(bytes[$0 + 39]) }
  }

  @Test(
    "parts in QuickTime are joined to QuickTime, with the sample entries and handlers of the first",
    .needs(.ffmpeg, .ffprobe), arguments: ["aac", "pcm_s24le"])
  func quickTime(codec: String) throws {
    let parts = [folder.path("a.mov"), folder.path("b.mov")]
    for part in parts {
      try MadeMedia.movie(part, seconds: 1, rate: 48_000, options: ["-c:a", codec, "-timecode", "01:00:00:00"])
    }
    func brand() throws -> String { try #require(try probe(output, "format_tags=major_brand").first) }
    _ = try join(parts)
    #expect(try brand() == "qt  ")
    let entries = "stream=codec_name,codec_tag_string,channels,sample_rate:stream_tags=handler_name,timecode"
    #expect(try probe(output, entries) == probe(parts[0], entries))
    #expect(try pictures(output).count == 50)
    // `mhlr`, and a name with its length before it.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
    #expect(bytes.range(of: Data("mhlrvide".utf8)) != nil && bytes.range(of: Data("tcmi".utf8)) != nil)
    guard codec == "aac" else { return }
    _ = try join([parts[0], try movie("c.mp4", timescale: 12_800)])
    #expect(try brand() == "isom")
  }

  // MARK: Damaged parts

  /// The muxer named the output.
  @Test("a part whose tracks say nothing of their samples, or have none, is named")
  func undescribed() throws {
    var made = MadeTrack(samples: [1, 1, 1], at: MovieMaker.mediaStart)
    made.entries = []
    let empty = folder.path("empty.mov")
    func write() throws {
      try Data(MovieMaker.progressive([made], media: [0, 0, 0])).write(to: URL(fileURLWithPath: empty))
    }
    try write()
    #expect(throws: JoinError.movie(MP4Error(.noDescription, file: empty, trackID: 1))) { try join([empty, empty]) }
    made = MadeTrack(samples: [1, 1, 1], at: MovieMaker.mediaStart)
    (made.handler, made.chunks) = ("meta", [])
    try write()
    #expect(throws: JoinError.movie(MP4Error(.nothingToWrite, file: empty))) { try join([empty, empty]) }
    #expect(!FileManager.default.fileExists(atPath: output))
  }
}
