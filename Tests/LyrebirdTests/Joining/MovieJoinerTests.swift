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
    #expect(throws: JoinError.unlike("2 channels, not 1", track: 1, file: paths[1])) { try join(paths) }
    #expect(throws: JoinError.unlike("1 channel, not 2", track: 1, file: paths[0])) { try join(paths.reversed()) }
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
}
