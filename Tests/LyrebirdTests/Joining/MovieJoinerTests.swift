import Foundation
import Lyrebird
import TestSupport
import Testing

/// Movies joined, beside what their parts decode to.
@Suite(.inTurn) struct MovieJoinerTests {
  private let folder: TemporaryFolder
  private static let rate = 44_100

  init() throws { folder = try TemporaryFolder() }

  /// Noise over tones that glide, from a frame on.
  private func sound(_ frames: Range<Int>) -> [Float] {
    var noise = Noise(seed: UInt64(frames.lowerBound))
    return frames.map { frame in
      let time = Double(frame) / Double(Self.rate)
      let tones = 0.2 * sin(2000 * time + 300 * sin(time)) + 0.1 * sin(5000 * time + 900 * sin(0.7 * time))
      return Float(tones) + Float.random(in: -0.05...0.05, using: &noise)
    }
  }

  /// Parts of these lengths, one after another of the same sound.
  private func parts(_ lengths: [Int], _ codec: AudioWriter.Codec = .aac) throws -> [String] {
    var first = 0
    return try lengths.enumerated().map { index, length in
      let path = folder.path("part\(index).m4a")
      var options = AudioWriter.Options()
      (options.codec, options.metadata.tags) = (codec, [MovieMetadata.Tag("title", "Part \(index)")])
      let buffer = PCMBuffer(sound(first..<(first + length)), sampleRate: Self.rate, layout: .mono)
      first += length
      let writer = try AudioWriter(path: path, format: buffer.format, options: options)
      try writer.append(buffer)
      try writer.finish()
      return path
    }
  }

  private func join(_ paths: [String], _ options: MovieJoiner.Options = .init()) throws -> MovieJoiner.Summary {
    try MovieJoiner(try paths.map { try MP4Demuxer(path: $0) }, to: folder.path("out.m4a"), options: options).run()
  }

  private func frames(_ path: String) throws -> [Float] { try AudioReader(path: path).read() }
  private var joined: [Float] { get throws { try frames(folder.path("out.m4a")) } }

  private func payloads(_ path: String) throws -> [[UInt8]] {
    let movie = try MP4Demuxer(path: path)
    var samples = movie.samples(of: try #require(movie.audioTrack))
    var payloads: [[UInt8]] = []
    while let sample = try samples.next() { payloads.append(Array(try sample.payload.load())) }
    return payloads
  }

  /// The ratio of the signal to the error in decibels, mean of stretches of 256 frames.
  private func ratio(_ heard: [Float], _ wanted: [Float], _ frames: Range<Int>) -> Double {
    var sum = 0.0
    let starts = stride(from: frames.lowerBound, to: frames.upperBound - 255, by: 256)
    for start in starts {
      var (signal, error) = (1e-9, 1e-9)
      for frame in start..<(start + 256) {
        signal += Double(wanted[frame] * wanted[frame])
        error += Double((heard[frame] - wanted[frame]) * (heard[frame] - wanted[frame]))
      }
      sum += 10 * log10(signal / error)
    }
    return sum / Double(Array(starts).count)
  }

  @Test(
    "packets stay where they fit, and decode as before but for those at the seams",
    arguments: [MovieLayout.fastStart, .moovLast, .fragmented])
  func keptPackets(layout: MovieLayout) throws {
    let lengths = [60 * 1024, 40 * 1024, 50 * 1024]
    let paths = try parts(lengths)
    var options = MovieJoiner.Options()
    options.layout = layout
    let summary = try join(paths, options)
    #expect(summary.encodedPackets < 12 && summary.keptPackets > 135)
    #expect(summary.output.duration == MediaTime(value: 150 * 1024, timescale: UInt32(Self.rate)))
    let old = Set(try paths.flatMap { try payloads($0) })
    #expect(try payloads(folder.path("out.m4a")).filter(old.contains).count >= Int(summary.keptPackets))
    let (wanted, heard) = (try paths.flatMap { try frames($0) }, try joined)
    try #require(heard.count == wanted.count)
    let seams = [60 * 1024, 100 * 1024]
    for frame in wanted.indices where !seams.contains(where: { abs($0 - frame) < 5 * 1024 }) {
      try #require(heard[frame] == wanted[frame], "frame \(frame)")
    }
  }

  @Test("parts of any length have their frames together, with seams as good as the parts' beginnings and ends")
  func oddLengths() throws {
    let lengths = [30_011, 777, 1, 50_023, 20_000, 1024, 44_444]
    let paths = try parts(lengths)
    let summary = try join(paths)
    let heard = try joined
    let wanted = lengths.indices.flatMap { index -> [Float] in
      let first = lengths[..<index].reduce(0, +)
      return sound(first..<(first + lengths[index]))
    }
    try #require(heard.count == wanted.count)
    #expect(
      summary.starts.map { Int(($0.seconds * Double(Self.rate)).rounded()) }
        == lengths.indices.map {
          lengths[..<$0].reduce(0, +)
        })
    let whole = ratio(heard, wanted, 0..<heard.count)
    let apart = try paths.flatMap { try frames($0) }
    func atSeams(_ sound: [Float]) -> Double {
      let places = [30_011, 30_789, 80_812, 100_812, 101_836]
      return places.map { ratio(sound, wanted, ($0 - 2048)..<($0 + 2048)) }.reduce(0, +) / Double(places.count)
    }
    #expect(whole > 6 && atSeams(heard) > atSeams(apart) - 1, "\(atSeams(heard)) \(atSeams(apart)) \(whole)")
  }

  @Test("the longest part keeps its packets, whatever comes before it")
  func longestPart() throws {
    let summary = try join(try parts([10_007, 400_000, 5003]))
    #expect(summary.keptPackets > 380 && summary.encodedPackets < 25)
    #expect(try joined.count == 415_010)
  }

  @Test("Apple Lossless is joined without a bit changed")
  func lossless() throws {
    let lengths = [30_011, 777, 50_023]
    let paths = try parts(lengths, .appleLossless)
    let summary = try join(paths)
    #expect(summary.encodedPackets == 0 && summary.tracksWithEdits.isEmpty)
    #expect(try joined == paths.flatMap { try frames($0) })
  }

  @Test("without encoding, all packets stay, and edits hide what is between the parts")
  func edits() throws {
    let paths = try parts([30_011, 20_023])
    var options = MovieJoiner.Options()
    options.encodesSeams = false
    let summary = try join(paths, options)
    #expect(summary.tracksWithEdits.count == 1)
    #expect(try payloads(folder.path("out.m4a")) == paths.flatMap { try payloads($0) })
    #expect(try joined.count == 50_034)
  }

  @Test("a chapter is made of each part, or the parts' own are kept, and the first part's tags")
  func chapters() throws {
    let paths = try parts([30_011, 20_023])
    var options = MovieJoiner.Options()
    options.chapterTitles = ["One", "Two"]
    _ = try join(paths, options)
    let movie = try MP4Demuxer(path: folder.path("out.m4a"))
    #expect(try movie.chapters().map(\.title) == ["One", "Two"])
    #expect(abs((try movie.chapters().last?.start.seconds ?? 0) - 30_011 / 44_100) < 1e-4)
    #expect(movie.metadata["title"] == "Part 0")
    options.chapterTitles = ["One"]
    #expect(throws: JoinError.chapterTitles(1, parts: 2)) { _ = try join(paths, options) }
    let first = folder.path("first.m4a")
    try FileManager.default.moveItem(atPath: folder.path("out.m4a"), toPath: first)
    _ = try join([paths[0], first])
    let chapters = try MP4Demuxer(path: folder.path("out.m4a")).chapters()
    #expect(chapters.map(\.title) == ["One", "Two"])
    #expect(abs((chapters.first?.start.seconds ?? 0) - 30_011 / 44_100) < 1e-4)
  }

  @Test("pictures are all there, in their order, and those of the next part begin when its sound does", .needs(.ffmpeg))
  func pictures() throws {
    let paths = try (1...3).map { number in
      let path = folder.path("v\(number).mp4")
      try MadeMedia.make([
        "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=\(number),hue=h=\(60 * number)", "-f", "lavfi", "-i",
        "sine=f=\(200 * number):d=\(number).02", "-c:v", "libx264", "-bf", "2", "-g", "10", "-c:a", "aac", path,
      ])
      return path
    }
    let summary = try join(paths)
    #expect(summary.tracks == 2 && summary.tracksWithEdits.isEmpty)
    let shown = try pictures(folder.path("out.m4a"))
    #expect(try shown == paths.flatMap { try pictures($0) })
    #expect(shown.count == 150)
    let movie = try MP4Demuxer(path: folder.path("out.m4a"))
    let track = try #require(movie.videoTrack)
    #expect(track.descriptions.count == 1)
    // A part ends with its sound, 0.02 s after its pictures.
    for (number, time) in [(25, 1.02), (75, 3.04)] {
      let shown = try movie.presentationTime(ofFrame: UInt64(number), in: track)
      #expect(abs((shown?.seconds ?? 0) - time) < 1e-4)
    }
  }

  /// Sums of the pictures that ffmpeg shows.
  private func pictures(_ path: String) throws -> [String] {
    let arguments = ["-v", "error", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
    let result = try Tool.ffmpeg.run(arguments)
    try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    return lines.filter { !$0.hasPrefix("#") }.map { String($0.split(separator: " ").last ?? "") }
  }

  @Test("what players cannot follow is refused unless it is asked for, and no file is left")
  func unlike() throws {
    let paths = try parts([30_011, 20_023])
    let buffer = PCMBuffer(sound(0..<40_000), sampleRate: Self.rate, layout: .stereo)
    let writer = try AudioWriter(path: paths[1], format: buffer.format)
    try writer.append(buffer)
    try writer.finish()
    #expect(throws: JoinError.unlike("2 channels, not 1 channel", track: 1, file: paths[1])) { try join(paths) }
    #expect(throws: JoinError.unlike("1 channel, not 2 channels", track: 1, file: paths[0])) {
      try join(paths.reversed())
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.m4a")))
    var options = MovieJoiner.Options()
    options.joinsUnlike = true
    #expect(try join(paths, options).tracksWithEdits.count == 1)
    #expect(throws: JoinError.noParts) { try MovieJoiner([], to: folder.path("out.m4a")).run() }
  }

  @Test("sound whose priming only a gapless tag tells is joined without it, and the tag is left out")
  func gaplessTagOnly() throws {
    let lengths = [30_011, 20_023]
    let paths = try parts(lengths)
    for path in paths {
      // Without its edit list, only the tag is left.
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let list = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("edts".utf8)) })
      bytes.replaceSubrange(list..<(list + 4), with: Array("free".utf8))
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(try MP4Demuxer(path: path).audioTrack?.edits.isEmpty == true)
    }
    for encodesSeams in [true, false] {
      var options = MovieJoiner.Options()
      options.encodesSeams = encodesSeams
      _ = try join(paths, options)
      #expect(try joined.count == 50_034)
      let text = try MP4Demuxer(path: folder.path("out.m4a")).metadata["iTunSMPB"]
      #expect(encodesSeams || text == nil)
    }
  }

  @Test("a silence of centuries that an edit list claims is not encoded")
  func centuries() throws {
    let paths = try parts([30_011, 20_023])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: paths[1])))
    let list = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("elst".utf8)) })
    // The first entry becomes one of nothing, of 2^31 seconds and more.
    let entry = list + 12
    let isWide = bytes[list + 4] == 1
    let (size, time) = isWide ? (8, 8) : (4, 4)
    for index in 0..<size { bytes[entry + index] = index == 0 ? 0x3F : 0xFF }
    for index in 0..<time { bytes[entry + size + index] = 0xFF }
    try Data(bytes).write(to: URL(fileURLWithPath: paths[1]))
    let summary = try? join(paths)
    #expect((summary?.encodedPackets ?? 0) < 100)
  }

  // MARK: What players make of it

  /// Samples kept their `encv`, but lost the vectors that decrypt them.
  @Test("encrypted parts are refused, and no file is left", .needs(.ffmpeg))
  func encrypted() throws {
    let path = folder.path("encrypted.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25", "-t", "1", "-c:v", "libx264", "-pix_fmt", "yuv420p",
      "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "00112233445566778899aabbccddeeff",
      "-encryption_kid", "000102030405060708090a0b0c0d0e0f", path,
    ])
    var options = MovieJoiner.Options()
    options.joinsUnlike = true
    #expect(throws: JoinError.encrypted(track: 1, file: path)) { try join([path, path], options) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.m4a")))
  }

  /// The ticks of a movie are the least common multiple of its tracks': 31 bits of them were three minutes.
  @Test("chapters of several minutes begin when they are said to begin", .needs(.ffprobe))
  func longChapters() throws {
    let path = folder.path("long.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "color=size=16x16:rate=1", "-f", "lavfi", "-i", "anullsrc=sample_rate=44100", "-t", "400",
      "-c:v", "mpeg4", "-c:a", "aac", "-b:a", "8k", "-video_track_timescale", "90000", path,
    ])
    var options = MovieJoiner.Options()
    options.chapterTitles = ["One", "Two"]
    let summary = try join([path, path], options)
    let output = try Tool.ffprobe.run([
      "-v", "error", "-show_entries", "chapter=start_time", "-of", "csv=p=0", folder.path("out.m4a"),
    ]).output
    let starts = String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
    #expect(starts.count == 2)
    for (start, wanted) in zip(starts, summary.starts) { #expect(abs(start - wanted.seconds) < 0.002) }
  }

  /// They were left out without a word.
  @Test("time codes and metadata of a camera are joined, and pictures refer to the time codes", .needs(.corpus))
  func camera() throws {
    let file = try #require(try Shared.corpusFiles().first { $0.path.hasSuffix("max-heromode.mp4") })
    let part = try MP4Demuxer(path: file.url.path)
    let summary = try join([file.url.path, file.url.path])
    #expect(summary.leftOutTracks == 0 && summary.tracks == part.tracks.count)
    let movie = try MP4Demuxer(path: folder.path("out.m4a"))
    #expect(movie.creationTime == part.creationTime)
    for (track, old) in zip(movie.tracks, part.tracks) {
      #expect(track.descriptions.first?.codec == old.descriptions.first?.codec)
      #expect(track.kind == .audio || track.sampleCount == 2 * old.sampleCount)
    }
    #expect(movie.tracks[0].references["tmcd"] == [movie.tracks[2].id])
  }

  /// A decoder that met the second part's key frame took it for a continuation of the first part: pictures were
  /// missing, and others were of wrong colours.
  @Test("pictures of H.265 in open groups are the same after a cut and a join", .needs(.ffmpeg))
  func openGroups() throws {
    let path = folder.path("open.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-t", "6", "-c:v", "libx265", "-pix_fmt", "yuv420p",
      "-x265-params", "log-level=none:bframes=3:keyint=30:min-keyint=30:scenecut=0:open-gop=1", "-tag:v", "hvc1", path,
    ])
    let movie = try MP4Demuxer(path: path)
    var (first, second) = (MovieClip(movie), MovieClip(movie))
    let seam = MediaTime(value: 85, timescale: 25)
    (first.end, second.start) = (seam, seam)
    try MovieEditor(first, to: folder.path("first.mp4")).run()
    try MovieEditor(second, to: folder.path("second.mp4")).run()
    let summary = try join([folder.path("first.mp4"), folder.path("second.mp4")])
    #expect(summary.tracksWithOpenSeams.isEmpty)
    func pictures(_ path: String) throws -> [String] {
      let output = try Tool.ffmpeg.run(["-nostdin", "-v", "warning", "-i", path, "-map", "0:v", "-f", "framemd5", "-"])
      #expect(output.status == 0 && output.errors.isEmpty, "\(output.errors)")
      return String(decoding: output.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        .compactMap { $0.split(separator: ",").last.map(String.init) }
    }
    #expect(try pictures(folder.path("out.m4a")) == pictures(path))
  }

  @Test(
    "where a part in H.264 begins in an open group, the summary names the track", .needs(.ffmpeg),
    arguments: [true, false])
  func openGroupsOfH264(isOpen: Bool) throws {
    let path = folder.path("open.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-t", "6", "-c:v", "libx264", "-pix_fmt", "yuv420p",
      "-x264-params", "bframes=3:keyint=40:scenecut=0:open_gop=\(isOpen ? 1 : 0)", path,
    ])
    var second = MovieClip(try MP4Demuxer(path: path))
    second.start = MediaTime(value: 100, timescale: 25)
    try MovieEditor(second, to: folder.path("second.mp4")).run()
    let summary = try join([path, folder.path("second.mp4")])
    #expect(summary.tracksWithOpenSeams == (isOpen ? [1] : []))
  }

  /// Players look for a place in `©xyz`, for a title in `©nam`, and read an item of 100 bytes as bytes.
  @Test("tags of 3GPP become iTunes' tags, and what is not text stays as it is", .needs(.corpus))
  func foreignTags() throws {
    let located = try #require(try Shared.corpusFiles().first { $0.path.hasSuffix("bt601.mp4") })
    _ = try join([located.url.path, located.url.path])
    let place = try MP4Demuxer(path: folder.path("out.m4a")).metadata.tags.first { $0.name == "location" }
    #expect(place?.identifier == "©xyz" && place?.value == "+40.6800-074.5000/")
    let asset = try #require(
      try Shared.corpusFiles().first { $0.path.hasSuffix("bbb_176x144_128kbps_15fps_h263.3gp") })
    _ = try join([asset.url.path, asset.url.path])
    let tags = try MP4Demuxer(path: folder.path("out.m4a")).metadata.tags
    #expect(Set(tags.map(\.identifier)).isSuperset(of: ["©nam", "©prf", "desc", "©gen"]))
    let binary = try #require(try Shared.corpusFiles().first { $0.path.hasSuffix("testMP4.m4a") })
    let old = try MP4Demuxer(path: binary.url.path).metadata.tags
    _ = try join([binary.url.path, binary.url.path])
    let new = try MP4Demuxer(path: folder.path("out.m4a")).metadata.tags
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("out.m4a")))
    #expect(
      new.filter { !$0.identifier.hasSuffix("iTunSMPB") }.count
        == old.filter { !$0.identifier.hasSuffix("iTunSMPB") }.count)
    // The free-form item `Encoding Params` begins with the four characters of its first parameter.
    let name = try #require(bytes.range(of: Data("Encoding Params".utf8)))
    #expect(bytes[name.upperBound...].prefix(28).range(of: Data("vers".utf8)) != nil)
  }

  // MARK: Sound and pictures together

  /// Where ffprobe says that the streams of a movie begin, by type.
  private func starts(_ path: String) throws -> [String: Double] {
    let arguments = ["-v", "error", "-show_entries", "stream=codec_type,start_time", "-of", "csv=p=0", path]
    let output = String(decoding: try Tool.ffprobe.run(arguments).output, as: UTF8.self)
    let lines = output.split(separator: "\n").map { $0.split(separator: ",") }
    return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Double($0[1]) ?? .nan) })
  }

  @Test("a silence that packets leave out stays where it is", .needs(.ffmpeg))
  func gap() throws {
    let part = folder.path("gap.mp4")
    try MadeMedia.movie(part, seconds: 3, options: ["-af", "aselect='lt(t,1)+gt(t,2)'"])
    _ = try join([part, part])
    let arguments = [
      "-hide_banner", "-nostdin", "-i", folder.path("out.m4a"), "-af", "aresample=async=1,silencedetect=d=0.3", "-f",
      "null", "-",
    ]
    let log = try Tool.ffmpeg.run(arguments).errors
    let found = log.matches(of: /silence_start: ([\d.]+)/).compactMap { Double($0.output.1) }
    #expect(found.count == 2 && abs(found[0] - 1.02) < 0.05 && abs(found[1] - 4.02) < 0.05, "\(found)")
  }

  @Test("parts without edit lists whose pictures begin late stay in sync", .needs(.ffmpeg, .ffprobe))
  func lateFirstPicture() throws {
    let part = folder.path("part.mp4")
    try MadeMedia.movie(part, seconds: 3, options: ["-movflags", "frag_keyframe+empty_moov"])
    let summary = try join([part, part])
    let (own, joined) = (try starts(part), try starts(folder.path("out.m4a")))
    #expect(own["video"] == 0.08 && joined["video"] == 0.08, "\(own), \(joined)")
    #expect(summary.output.duration.seconds > 6.1)
  }

  @Test("a first part without sound does not silence the others without a word", .needs(.ffmpeg))
  func silentFirstPart() throws {
    let (whole, silent) = (folder.path("whole.mp4"), folder.path("silent.mp4"))
    try MadeMedia.movie(whole, seconds: 1)
    try MadeMedia.movie(silent, seconds: 1, options: ["-an"])
    for order in [[silent, whole], [whole, silent]] {
      let error = #expect(throws: JoinError.self) { try join(order) }
      #expect(error == .missingTrack(.audio, file: silent))
    }
    var options = MovieJoiner.Options()
    options.joinsUnlike = true
    #expect(try join([silent, whole], options).leftOutTracks == 1)
  }
}
