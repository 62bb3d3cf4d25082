import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// How long the encoder searches changes how near it comes to the sound, and nothing else.
@Suite("AAC encoder: speeds", .inTurn)
struct EncoderSpeedTests {
  /// What is encoded.
  struct Case: CustomTestStringConvertible {
    var profile = AACEncoder.Profile.lowComplexity
    var channels = 2
    var bitRate = 64_000
    var testDescription: String { "\(profile), \(channels) channels at \(bitRate) b/s" }

    var format: AudioFormat { AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: channels) }

    func encoder(_ speed: AACEncoder.Speed, threads: Int = 1) throws -> AACEncoder {
      try AACEncoder(format: format, profile: profile, bitRate: bitRate, speed: speed, threads: threads)
    }

    func encoded(_ samples: [Float], _ speed: AACEncoder.Speed, threads: Int = 1) throws -> Encoded {
      try Encoded(samples, format: format, encoder: encoder(speed, threads: threads))
    }
  }

  static let cases = [
    Case(), Case(channels: 1, bitRate: 32_000), Case(channels: 6, bitRate: 256_000),
    Case(profile: .highEfficiency, bitRate: 32_000), Case(profile: .highEfficiencyV2, bitRate: 20_000),
  ]

  /// Music with a click now and then, which takes short windows.
  private func sound(frames: Int, channels: Int) -> [Float] {
    var samples = Sound.music(frames: frames, channels: channels, rate: 44_100)
    for frame in stride(from: 3000, to: frames, by: 9000) { samples[frame * channels] = 0.9 }
    return samples
  }

  @Test("normal is what is made if nothing is asked for")
  func normal() throws {
    let item = Case()
    let samples = sound(frames: 20_000, channels: 2)
    let expected = try Encoded(samples, format: item.format, bitRate: 64_000).payloads
    #expect(try item.encoded(samples, .normal).payloads == expected)
    for speed in [AACEncoder.Speed.fast, .slow] { #expect(try item.encoded(samples, speed).payloads != expected) }
    let format = item.format
    let quality = try Encoded(samples, format: format, bitRate: nil, quality: 3)
    let encoder = try AACEncoder(format: format, quality: 3, speed: .slow)
    #expect(try Encoded(samples, format: format, encoder: encoder).payloads != quality.payloads)
  }

  @Test(
    "ffmpeg decodes every frame of a fast and a slow stream without a message",
    .needs(.ffmpeg), arguments: cases, [AACEncoder.Speed.fast, .slow])
  func decodes(item: Case, speed: AACEncoder.Speed) throws {
    let folder = try TemporaryFolder()
    let samples = sound(frames: 20_000, channels: item.channels)
    let encoded = try item.encoded(samples, speed)
    let path = folder.path("out.aac")
    try encoded.write(to: path)
    #expect(encoded.packets.reduce(0) { $0 + $1.timing.duration } == Int64(encoded.priming) + 20_000)
    let (ffmpeg, messages) = try ffmpegReads(path)
    #expect(ffmpeg.status == 0 && messages.isEmpty, "\(ffmpeg.errors)")
    // ffmpeg makes two channels of HE-AAC's one.
    let channels = item.profile == .lowComplexity ? item.channels : 2
    #expect(ffmpeg.output.count == encoded.packets.count * encoded.priming * 4 * channels)
  }

  @Test("two threads make the same bytes as one", arguments: cases, [AACEncoder.Speed.fast, .slow])
  func threads(item: Case, speed: AACEncoder.Speed) throws {
    let samples = sound(frames: 40_000, channels: item.channels)
    let expected = try item.encoded(samples, speed).payloads
    #expect(try item.encoded(samples, speed, threads: 2).payloads == expected)
  }

  @Test(
    "the rate is the same at any speed",
    arguments: cases.filter { $0.channels < 6 && $0.bitRate > 20_000 }, [AACEncoder.Speed.fast, .slow])
  func rates(item: Case, speed: AACEncoder.Speed) throws {
    let frames = 4 * 44_100
    let encoded = try item.encoded(sound(frames: frames, channels: item.channels), speed)
    let made = encoded.rate(frames: frames, sampleRate: 44_100)
    #expect(abs(made / Double(item.bitRate) - 1) < 0.1, "\(made)")
  }

  /// Noise over what masks it, in dB: the mean over frames and over bands a Bark wide, of which each masks noise 13 dB
  /// below its energy.
  private func noiseToMask(_ samples: [Float], _ decoded: [Float]) -> Double {
    let transform = ForwardMDCT(lineCount: 1024)
    let slopes = WindowSlopes(.sine)
    func lines(_ samples: ArraySlice<Float>) -> [Double] {
      let (input, output) = (AlignedMemory(samples.map { $0 * 32768 }), AlignedMemory<Float>(1024))
      transform.run(input.all, rise: slopes.long.rise, fall: slopes.long.fall, to: output.all)
      return (0..<1024).map { Double(output[$0]) }
    }
    let bands = Dictionary(grouping: 4..<600) { Int(MaskingModel.bark(Double($0) * 44_100 / 2048)) }.values
    var (sum, count) = (0.0, 0)
    for start in stride(from: 4096, to: samples.count - 4096, by: 1024) {
      let range = start..<(start + 2048)
      let (sound, heard) = (lines(samples[range]), lines(decoded[range]))
      for band in bands {
        let energy = band.reduce(1e4) { $0 + sound[$1] * sound[$1] }
        let noise = band.reduce(0) { $0 + (sound[$1] - heard[$1]) * (sound[$1] - heard[$1]) }
        sum += log10(noise / (energy * 0.05) + 0.01)
        count += 1
      }
    }
    return 10 * sum / Double(count)
  }

  @Test("slow comes nearer to the sound than normal, and normal than fast", .needs(.ffmpeg))
  func distances() throws {
    let folder = try TemporaryFolder()
    let item = Case(channels: 1, bitRate: 48_000)
    let samples = sound(frames: 3 * 44_100, channels: 1)
    var distances: [Double] = []
    for speed in [AACEncoder.Speed.slow, .normal, .fast] {
      let path = folder.path("\(speed).aac")
      try item.encoded(samples, speed).write(to: path)
      let decoded = Array(try ffmpegDecoded(path, options: []).dropFirst(1024))
      distances.append(noiseToMask(samples, decoded))
    }
    #expect(distances[0] < distances[1] && distances[1] < distances[2], "\(distances)")
  }
}
