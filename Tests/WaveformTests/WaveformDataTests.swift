import Foundation
import MediaCore
import TestSupport
import Testing
import Waveform

/// Waveforms as data, computed once more by a few lines of Python.
@Suite(.inTurn) struct WaveformDataTests {
  /// Reads 16-bit samples of a file; prints all values, in 16 bits and in 8.
  private static let oracle = """
    import array, json, sys
    path, channels, size, split = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "split"
    samples = array.array("h", open(path, "rb").read())
    frames = [samples[i:i + channels] for i in range(0, len(samples) - channels + 1, channels)]
    if not split: frames = [[int(sum(frame) / channels)] for frame in frames]
    values = []
    for start in range(0, len(frames), size):
        for column in zip(*frames[start:start + size]): values += [min(column), max(column)]
    print(json.dumps([values, [int(value / 256) for value in values]]))
    """

  private struct Written: Decodable, Equatable {
    var version, channels, sample_rate, samples_per_pixel, bits, length: Int
    var data: [Int]
  }

  static func noise(_ count: Int, seed: UInt64) -> [Int16] {
    var noise = Noise(seed: seed)
    // Full scale at both ends is in it.
    return [.min, .max, .min] + (3..<max(count, 3)).map { _ in Int16(truncatingIfNeeded: noise.next()) }
  }

  private func bytes(_ waveform: Waveform, _ format: WaveformFormat) throws -> [UInt8] {
    let sink = MemorySink()
    try waveform.write(format, to: sink)
    return sink.bytes
  }

  @Test(
    "JSON and binary data are what audiowaveform's arithmetic gives", .needs(.python),
    arguments: [(1, 10_001, 256), (2, 44_101, 441), (3, 999, 7), (6, 5000, 4096)], [false, true])
  func data(_ sound: (channels: Int, frames: Int, size: Int), split: Bool) throws {
    let folder = try TemporaryFolder()
    let samples = Self.noise(sound.frames * sound.channels, seed: 50)
    let raw = unsafe samples.withUnsafeBytes { unsafe Data($0) }
    try raw.write(to: URL(fileURLWithPath: folder.path("a.raw")))
    let answer = try Tool.python.run(
      [
        "-c", Self.oracle, folder.path("a.raw"), "\(sound.channels)", "\(sound.size)", split ? "split" : "mix",
      ])
    let expected = try JSONDecoder().decode([[Int]].self, from: answer.output)
    var builder = WaveformBuilder(
      sampleRate: 44_100, channels: sound.channels, samplesPerPixel: sound.size, splitChannels: split)
    // In pieces of all lengths.
    var (start, piece) = (0, 1)
    while start < samples.count {
      builder.append(samples[start..<min(start + piece * sound.channels, samples.count)].span)
      start += piece * sound.channels
      piece = piece * 3 % 1000
    }
    let waveform = builder.finish()
    let channels = split ? sound.channels : 1
    let length = (sound.frames + sound.size - 1) / sound.size
    #expect(waveform.length == length)
    for (index, depth) in [WaveformFormat.Depth.sixteen, .eight].enumerated() {
      let json = try bytes(waveform, .json(depth))
      #expect(
        try JSONDecoder().decode(Written.self, from: Data(json))
          == Written(
            version: 2, channels: channels, sample_rate: 44_100, samples_per_pixel: sound.size, bits: depth.rawValue,
            length: length, data: expected[index]))
      let head = [2, index, 44_100, sound.size, length, channels].flatMap { Plain.u32(UInt32($0)).reversed() }
      let body = expected[index].flatMap {
        index == 1 ? [UInt8(truncatingIfNeeded: $0)] : Plain.u16(UInt16(truncatingIfNeeded: $0)).reversed()
      }
      #expect(try bytes(waveform, .binary(depth)) == head + body)
    }
  }

  @Test("floats are rounded and clipped, and 24-bit integers rounded")
  func formats() throws {
    let floats: [Float] = [0.5, -2, 2, .nan]
    var builder = WaveformBuilder(sampleRate: 8000, channels: 1, samplesPerPixel: 1)
    builder.append(floats.span)
    builder.append(PCMBuffer([1 << 30, -1 << 31], sampleFormat: .int24, sampleRate: 8000, layout: .mono))
    builder.append(PCMBuffer([7] as [Int16], sampleRate: 8000, layout: .mono))
    #expect(
      builder.finish().values
        == [16384, 16384, -32768, -32768, 32767, 32767, 0, 0, 16384, 16384, -32768, -32768, 7, 7])
  }

  @Test("no sound is a waveform of no pixels, in every form")
  func empty() throws {
    var builder = WaveformBuilder(sampleRate: 8000, channels: 2)
    let waveform = builder.finish()
    #expect(waveform.length == 0)
    #expect(
      String(decoding: try bytes(waveform, .json(.sixteen)), as: UTF8.self).hasSuffix("\"length\":0,\"data\":[]}\n"))
    #expect(try bytes(waveform, .binary(.eight)).count == 24)
    #expect(try bytes(waveform, .svg(WaveformPicture())).isEmpty == false)
    #expect(try bytes(waveform, .png(WaveformPicture(width: 1, height: 1))).isEmpty == false)
  }

  @Test("claims that are beyond counting are no crash")
  func hugeClaims() {
    #expect(WaveformBuilder(sampleRate: 1, channels: 1, samplesPerPixel: 1, expectedFrames: .max).channels == 1)
    #expect(WaveformBuilder(sampleRate: 1, channels: .max, splitChannels: true).channels == 65_535)
  }
}
