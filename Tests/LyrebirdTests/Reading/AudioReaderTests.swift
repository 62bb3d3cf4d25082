import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Any file in, the samples that were asked for out.
@Suite(.inTurn)
struct AudioReaderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Some noise in stereo, the same each time.
  private func sound(_ frames: Int, rate: Int = 44_100) -> PCMBuffer {
    var generator = Noise(seed: 3)
    let samples = (0..<(2 * frames)).map { _ in Int16.random(in: -8000...8000, using: &generator) }
    return PCMBuffer(samples, sampleRate: rate, layout: .stereo)
  }

  /// The same sound as a file of a kind.
  private func file(_ name: String, frames: Int = 50_000, codec: AudioWriter.Codec = .aac) throws -> String {
    let path = folder.path(name)
    var options = AudioWriter.Options()
    options.codec = codec
    let writer = try AudioWriter(path: path, format: AudioFormat(), options: options)
    try writer.append(sound(frames))
    try writer.finish()
    return path
  }

  @Test("each kind of file is known by its content, whatever its name is")
  func kinds() throws {
    for (name, type) in [("a.m4a", SoundFileType.movie), ("a.aac", .adts), ("a.wav", .pcm)] {
      let path = folder.path("unnamed-\(name.dropFirst(2))")
      try FileManager.default.moveItem(atPath: try file(name), toPath: path)
      let reader = try AudioReader(path: path)
      #expect(reader.fileType == type && reader.format.sampleRate == 44_100 && reader.format.channels == 2)
      #expect(reader.isLossless == (type == .pcm))
      #expect((reader.frameCount == 50_000) == (type != .adts))
      #expect((reader.track == nil) == (type != .movie))
    }
  }

  @Test("a lossless file gives back what went in", arguments: ["a.wav", "a.m4a"])
  func lossless(name: String) throws {
    let reader = try AudioReader(path: try file(name, codec: .appleLossless))
    #expect(reader.format == AudioFormat() && reader.isLossless)
    #expect(try reader.read() == sound(50_000).floats)
    #expect(try reader.next() == nil && reader.position == 50_000)
  }

  @Test(
    "at another rate there are as many frames as time tells, and they are what a converter makes",
    arguments: ["a.m4a", "a.wav"])
  func conversion(name: String) throws {
    let path = try file(name)
    let speech = try AudioReader(path: path).read(sampleRate: 16_000, channels: 1)
    #expect(speech.count == (50_000 * 16_000 + 22_050) / 44_100)
    let whole = try AudioReader(path: path).read()
    var converter = try AudioConverter(from: .float32(44_100, .stereo), to: .float32(16_000, .mono))
    var expected: [Float] = []
    try converter.convert(whole.span, to: &expected)
    converter.finish(to: &expected)
    #expect(speech == expected)
  }

  @Test(
    "a seek gives the same samples as no seek, at any rate",
    arguments: [(44_100, 2), (48_000, 2), (16_000, 1), (37_799, 1), (8000, 2), (192_000, 1)])
  func seeks(rate: Int, channels: Int) throws {
    for name in ["a.m4a", "a.wav"] {
      let reader = try AudioReader(path: try file(name, frames: 60_000))
      let format = AudioFormat.float32(rate, ChannelLayout(channels: channels))
      try reader.setFormat(format)
      let count = try #require(reader.frameCount)
      let whole = try reader.read()
      #expect(whole.count == Int(count) * channels)
      for frame in [Int64(0), 1, count / 2, count - 1, count, count + 1] {
        try reader.seek(to: frame)
        let part = try reader.read(limit: 3000)
        let start = min(Int(frame), Int(count)) * channels
        #expect(part == Array(whole[start..<min(start + 3000 * channels, whole.count)]), "\(name) from \(frame)")
      }
    }
  }

  @Test("pieces of any size, pulled in any way, make the same sound")
  func pieces() throws {
    let path = try file("a.m4a")
    for format in [AudioFormat.float32(44_100, .stereo), .int16(44_100, .stereo), .int16(22_050, .mono)] {
      let reader = try AudioReader(path: path)
      try reader.setFormat(format)
      var (expected, samples): ([Int16], [Int16]) = ([], [])
      while let sound = try reader.next() {
        #expect(sound.payload.format == format && sound.firstFrame == Int64(expected.count / format.channels))
        expected += sound.payload.int16s
      }
      try reader.seek(to: 0)
      var generator = Noise(seed: 5)
      var isEnded = false
      while !isEnded {
        // Now and then as a block, otherwise into memory.
        if Int.random(in: 0..<4, using: &generator) == 0 {
          let block = try reader.next(frames: Int.random(in: 1...3000, using: &generator))
          samples += block?.payload.int16s ?? []
          isEnded = block == nil
        } else {
          var memory = [Int16](repeating: 0, count: Int.random(in: 2...6000, using: &generator))
          var span = memory.mutableSpan
          let count = try reader.next(into: &span)
          samples += memory[..<((count ?? 0) * format.channels)]
          isEnded = count == nil
        }
        #expect(reader.position == Int64(samples.count / format.channels))
      }
      #expect(samples == expected)
    }
  }

  @Test("a format is changed on the way without a gap in time")
  func changedFormat() throws {
    let reader = try AudioReader(path: try file("a.m4a"))
    _ = try reader.read(limit: 11_025)
    try reader.setFormat(.float32(22_050, .mono))
    #expect(reader.position == 5513 && reader.frameCount == 25_000)
    #expect(try reader.read().count == 25_000 - 5513)
  }

  @Test("what cannot be had is said, and changes nothing")
  func impossible() throws {
    let reader = try AudioReader(path: try file("a.m4a"))
    let format = reader.format
    #expect(throws: AudioDecodingError.self) { try reader.setFormat(.float32(0, .stereo)) }
    #expect(reader.format == format)
    #expect(throws: AudioDecodingError.noTrack(9, file: reader.name)) { try AudioReader(path: reader.name, track: 9) }
    let wav = try file("b.wav")
    #expect(throws: AudioDecodingError.noTracks(.pcm, file: wav)) { try AudioReader(path: wav, track: 1) }
    #expect(throws: AudioDecodingError.self) { try AudioReader(path: folder.path("missing.wav")) }
  }

  @Test("reading says how far it is, and stops when its task is cancelled")
  func progress() async throws {
    let path = try file("a.m4a", frames: 100_000)
    let reader = try AudioReader(path: path)
    var last: (Int64, Int64?) = (0, nil)
    _ = try reader.read(channels: 1) { last = ($0, $1) }
    #expect(last == (100_000, 100_000))
    #expect(throws: CocoaError.self) {
      _ = try AudioReader(path: path).read { _, _ in throw CocoaError(.userCancelled) }
    }
    let blocks = try AudioReader(path: path).blocks(format: .float32(48_000, .stereo))
    let work = Task {
      while !Task.isCancelled { await Task.yield() }
      for try await _ in blocks {}
    }
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
  }

  @Test("a seek past the end, and then another format, ends the sound", arguments: [.max, .max / 2, 60_000] as [Int64])
  func farSeek(frame: Int64) async throws {
    let reader = try AudioReader(path: try file("a.m4a"))
    try reader.seek(to: frame)
    for try await block in reader.blocks(format: .float32(48_000, .stereo)) {
      Issue.record("\(block.payload.frameCount) frames at \(block.timing.presentationTime)")
    }
    try reader.seek(to: frame)
    #expect(try reader.read(sampleRate: 8000, channels: 1).isEmpty)
  }
}
