import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// How well pairs of channels that have something in common are coded.
@Suite("AAC encoder: pairs", .inTurn, .needs(.ffmpeg))
struct EncoderStereoTests {
  private static let rate = 44_100
  private static let frames = 66_150

  /// A tone and coloured noise that swells: nothing that few bits suffice for.
  private var voice: [Float] {
    var noise = Noise(state: 7)
    var (first, second) = (0.0, 0.0)
    return (0..<Self.frames).map { frame in
      let time = Double(frame) / Double(Self.rate)
      let colour = 1.5 * first - 0.7 * second + Double.random(in: -0.05...0.05, using: &noise)
      (second, first) = (first, colour)
      return Float(0.2 * sin(2 * .pi * 330 * time) + 0.5 * colour * (1 + sin(2 * .pi * 3 * time)))
    }
  }

  /// How far what ffmpeg decodes is from each channel, in dB.
  private func ratios(_ channels: [[Float]], bitRate: Int) throws -> [Double] {
    let format = AudioFormat(sampleRate: Self.rate, sampleFormat: .float32, channels: channels.count)
    let folder = try TemporaryFolder()
    let samples = (0..<Self.frames).flatMap { frame in channels.map { $0[frame] } }
    try Encoded(samples, format: format, bitRate: bitRate).write(to: folder.path("a.aac"))
    let decoded = try ffmpegDecoded(folder.path("a.aac"), options: [])
    return channels.indices.map { channel in
      // After the priming.
      let made = stride(from: 1024 * channels.count + channel, to: decoded.count, by: channels.count)
      return Difference(made.prefix(Self.frames).map { decoded[$0] }, channels[channel]).ratio
    }
  }

  @Test(
    "one sound in both channels, louder in one, takes hardly more than alone",
    arguments: [(1, 0.4), (0.4, 1), (0.02, 1), (1, 0.9), (1, -0.4), (-0.7, 1)] as [(Float, Float)])
  func pannedSound(left: Float, right: Float) throws {
    let voice = voice
    let alone = try ratios([voice], bitRate: 56_000)[0]
    for ratio in try ratios([voice.map { $0 * left }, voice.map { $0 * right }], bitRate: 64_000) {
      #expect(ratio > alone - 1)
    }
  }

  /// A difference this soft is noise in both channels if it is left out, not a hole.
  @Test("a tone that stands next to the middle comes nearly as near as one in the middle")
  func nextToTheMiddle() throws {
    let tone = Sound.harmonics(frames: Self.frames)
    let middle = try ratios([tone, tone], bitRate: 48_000)[0]
    #expect(try ratios([tone, tone.map { 0.9 * $0 }], bitRate: 48_000)[0] > middle - 3.6)
  }

  @Test("sounds that stand at different places, and one that is only on one side, stay where they are")
  func places() throws {
    let voice = voice
    let tone = (0..<Self.frames).map { Float(0.2 * sin(2 * .pi * 2500 * Double($0) / Double(Self.rate))) }
    let mixed = try ratios(
      [zip(voice, tone).map { $0 + 0.3 * $1 }, zip(voice, tone).map { 0.3 * $0 + $1 }], bitRate: 96_000)
    #expect(mixed.allSatisfy { $0 > 12 }, "\(mixed)")
    let silent = [Float](repeating: 0, count: Self.frames)
    #expect(try ratios([voice, silent], bitRate: 64_000)[0] > ratios([voice], bitRate: 56_000)[0] - 1)
  }
}
