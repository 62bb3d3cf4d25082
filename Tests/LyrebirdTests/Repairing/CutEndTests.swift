import Foundation
import Lyrebird
import TestSupport
import Testing

/// Movies with their index in front that lost their end, as when a download stops.
@Suite(.inTurn) struct CutEndTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What ffprobe says of a file: a number for each line.
  private func probed(_ entries: String, _ bytes: [UInt8]) throws -> [Double] {
    let path = folder.path("probed.mp4")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let result = try Tool.ffprobe.run(["-v", "error", "-of", "csv=p=0", "-show_entries", entries, path])
    return String(decoding: result.output, as: UTF8.self).split(whereSeparator: { ",\n".contains($0) }).compactMap {
      Double($0)
    }
  }

  /// What `recover` leaves of a movie, in fragments.
  private func fragmented(_ bytes: [UInt8], _ edits: Remuxer.FragmentEdits) throws -> [UInt8] {
    var options = Remuxer.Options()
    (options.layout, options.fragmentEdits, options.recover) = (.fragmented, edits, true)
    let sink = MemorySink()
    _ = try Remuxer(from: WholeMovie(bytes).movie, to: sink, options: options).run()
    return sink.bytes
  }

  @Test("sound is as long as what is left of it, for whoever asks, and its gapless tag is right", .needs(.ffprobe))
  func sound() throws {
    let path = folder.path("in.m4a")
    var generator = Noise(seed: 1)
    let samples = (0..<200_000).map { _ in Int16.random(in: -8000...8000, using: &generator) }
    let writer = try AudioWriter(path: path, format: .int16(44_100, .mono))
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .mono))
    try writer.finish()
    let whole = try WholeMovie(path: path)
    let (report, bytes) = try repaired(Array(whole.bytes.prefix(whole.bytes.count / 2)))
    let track = try #require(report.tracks.first)
    let frames = Int(track.found) * 1024 - 1024
    #expect(track.lost > 50 && track.found > 50 && track.duration.seconds == Double(track.found) * 1024 / 44_100)
    let saved = try WholeMovie(bytes)
    #expect(saved.movie.duration.seconds == Double(frames) / 44_100)
    #expect(
      try probed("stream=nb_read_packets:format=duration", bytes).allSatisfy {
        abs($0 - Double(frames) / 44_100) < 0.001
      })
    let tag = try #require(saved.movie.metadata.tags.first { $0.identifier.hasSuffix("iTunSMPB") }).value
    #expect(tag.split(separator: " ").prefix(4).map { Int($0, radix: 16) } == [0, 1024, 0, frames])
    let reader = try AudioReader(SourceReader(MemorySource(bytes)))
    #expect(reader.frameCount == Int64(frames))
    #expect(try reader.next(frames: .max)?.payload.frameCount == frames)
  }

  @Test("a film ends with what is left of its tracks", .needs(.ffmpeg), .needs(.ffprobe))
  func film() throws {
    let path = folder.path("in.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-f", "lavfi", "-i",
      "anoisesrc=c=pink:a=0.3:r=48000:seed=1", "-t", "8", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "2", "-g",
      "25", "-c:a", "aac", "-movflags", "+faststart", path,
    ])
    let whole = try WholeMovie(path: path)
    let (report, bytes) = try repaired(Array(whole.bytes.prefix(whole.bytes.count / 2)))
    #expect(report.tracks.allSatisfy { $0.lost > 0 && $0.duration.seconds < 6 })
    // Reordered pictures, and sound without its priming, are shown a little later or earlier.
    let longest = report.tracks.map(\.duration.seconds).max() ?? 0
    for seconds in try probed("stream=duration:format=duration", bytes) {
      #expect(abs(seconds - longest) < 0.2, "\(seconds) of \(longest)")
    }
    for edits in [Remuxer.FragmentEdits.lists, .times] {
      let bytes = try fragmented(Array(whole.bytes.prefix(whole.bytes.count / 2)), edits)
      let saved = try WholeMovie(bytes).movie
      #expect(saved.tracks.allSatisfy { abs($0.duration.seconds - longest) < 0.2 })
      #expect(saved.tracks.flatMap(\.edits).allSatisfy { $0.duration.seconds < longest + 0.2 })
      let seconds = try probed("stream=duration:format=duration", bytes)
      #expect(!seconds.isEmpty && seconds.allSatisfy { abs($0 - longest) < 0.2 }, "\(seconds) of \(longest)")
    }
  }

  @Test("sound in fragments has the gapless tag of what is left of it")
  func fragmentedSound() throws {
    let path = folder.path("in.m4a")
    let writer = try AudioWriter(path: path, format: .int16(44_100, .mono))
    try writer.append(PCMBuffer([Int16](repeating: 1000, count: 200_000), sampleRate: 44_100, layout: .mono))
    try writer.finish()
    let bytes = try WholeMovie(path: path).bytes
    let left = try fragmented(Array(bytes.dropLast(3000)), .lists)
    let saved = try WholeMovie(left).movie
    let frames = Int(try #require(saved.audioTrack).sampleCount) * 1024 - 1024
    let tag = try #require(saved.metadata.tags.first { $0.identifier.hasSuffix("iTunSMPB") }).value
    #expect(tag.split(separator: " ").prefix(4).map { Int($0, radix: 16) } == [0, 1024, 0, frames])
    #expect(try AudioReader(SourceReader(MemorySource(left))).frameCount == Int64(frames) && frames < 199_000)
  }
}
