import AudioConversion
import Foundation
import MediaCore
import TestSupport
import Testing

/// Ours beside ffmpeg's converters, which were written by others.
@Suite(.inTurn, .needs(.ffmpeg)) struct ConverterOracleTests {
  /// Samples through ffmpeg, as floats.
  private func ffmpeg(_ samples: [Float], rate: Int, channels: Int, _ arguments: [String]) throws -> [Float] {
    let folder = try TemporaryFolder()
    let (source, target) = (folder.path("in.f32"), folder.path("out.f32"))
    let bytes = samples.flatMap { sample in (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) } }
    try Data(bytes).write(to: URL(fileURLWithPath: source))
    try MadeMedia.make(
      ["-f", "f32le", "-ar", "\(rate)", "-ac", "\(channels)", "-i", source] + arguments + ["-f", "f32le", target])
    let output = [UInt8](try Data(contentsOf: URL(fileURLWithPath: target)))
    return stride(from: 0, to: output.count - 3, by: 4).map { at in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(output[at + $1]) << (8 * $1) })
    }
  }

  /// Sound with most of its power where speech has it, in stereo.
  private func speechLike(_ frames: Int) -> [Float] {
    var state = SIMD2<Float>.zero
    var generator = Noise(seed: 11)
    return (0..<frames).flatMap { _ in
      let fresh = SIMD2(Float.random(in: -1...1, using: &generator), Float.random(in: -1...1, using: &generator))
      state += (fresh - state) * 0.08
      return [state.x, state.y]
    }
  }

  @Test("16 kHz mono is what ffmpeg's soxr makes, up to the end of the band, to 60 dB", arguments: [44_100, 48_000])
  func speech(rate: Int) throws {
    let input = speechLike(rate / 2)
    let source = AudioFormat(sampleRate: rate, sampleFormat: .float32, layout: .stereo)
    let target = AudioFormat(sampleRate: 16_000, sampleFormat: .float32, layout: .mono)
    var converter = try AudioConverter(from: source, to: target)
    var ours: [Float] = []
    try converter.convert(input.span, to: &ours)
    converter.finish(to: &ours)
    let theirs = try ffmpeg(
      input, rate: rate, channels: 2,
      ["-af", "pan=mono|c0=0.5*c0+0.5*c1,aresample=16000:resampler=soxr"])
    #expect(abs(ours.count - theirs.count) <= 1)
    let errors = zip(ours, theirs).map { $0 - $1 }
    #expect(decibels(middleLevel(ours) / middleLevel(errors)) >= 60)
  }

  @Test("channels are mixed as ffmpeg mixes them", arguments: [(6, 2), (6, 1), (2, 1), (1, 2)])
  func channels(from: Int, to: Int) throws {
    let input = noise(300 * from, seed: 12)
    let layouts = [1: "mono", 2: "stereo", 6: "5.1"]
    let names = try (#require(layouts[from]), #require(layouts[to]))
    let matrix = try ChannelMatrix(from: ChannelLayout(channels: from), to: ChannelLayout(channels: to))
    var ours: [Float] = []
    matrix.mix(input.span, to: &ours)
    let theirs = try ffmpeg(
      input, rate: 48_000, channels: from,
      ["-af", "aformat=channel_layouts=\(names.0),aresample=rematrix_maxval=1:ochl=\(names.1)"])
    #expect(ours.count == theirs.count && zip(ours, theirs).allSatisfy { abs($0 - $1) < 1e-5 })
  }
}
