import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// What other decoders make of the encoder's packets.
@Suite(.inTurn) struct EncoderDecodingTests {
  struct Case: CustomStringConvertible {
    var rate: Int
    var channels: Int
    var sampleFormat: AudioFormat.SampleFormat
    var description: String { "\(rate) Hz, \(channels) channels, \(sampleFormat)" }
  }

  /// Whether to try everything: in release builds, or where continuous integration asks for it.
  static let isThorough: Bool = {
    #if DEBUG
      Shared.isEverythingRequired
    #else
      true
    #endif
  }()

  static let cases = [8000, 16_000, 22_050, 44_100, 48_000, 96_000].flatMap { rate in
    [1, 2, 6].flatMap { channels in
      // Samples of either kind become the same floats: one kind for each is enough where code runs slowly.
      [AudioFormat.SampleFormat.int16, .float32].filter { $0 == .float32 || isThorough }.map {
        Case(rate: rate, channels: channels, sampleFormat: $0)
      }
    }
  }

  @Test(
    "ffmpeg and faad decode every kind of stream without a message",
    .needs(.ffmpeg, .faad), arguments: cases)
  func decodes(_ item: Case) throws {
    let folder = try TemporaryFolder()
    let format = AudioFormat(sampleRate: item.rate, sampleFormat: item.sampleFormat, channels: item.channels)
    let range = AACEncoder.bitRates(for: format)
    let frames = EncoderDecodingTests.isThorough ? 20_000 : 2500
    let samples = Sound.music(frames: frames, channels: item.channels, rate: item.rate)
    for bitRate in [range.lowerBound, min(48_000 * item.channels, range.upperBound), range.upperBound] {
      let path = folder.path("\(bitRate).aac")
      try Encoded(samples, format: format, bitRate: bitRate).write(to: path)
      let (ffmpeg, messages) = try ffmpegReads(path)
      #expect(ffmpeg.status == 0 && messages.isEmpty, "\(bitRate): \(ffmpeg.errors)")
      #expect(ffmpeg.output.count == ((frames + 1023) / 1024 + 1) * 1024 * 4 * item.channels, "\(bitRate)")
      let faad = try Tool.faad.run(["-q", "-o", folder.path("out.wav"), path])
      #expect(faad.status == 0 && faad.errors.isEmpty, "\(bitRate): \(faad.errors)")
    }
  }

  @Test(
    "what ffmpeg decodes is the sound, in its place and channel by channel",
    .needs(.ffmpeg), arguments: [1, 2, 3, 4, 5, 6])
  func soundReturns(channels: Int) throws {
    let (folder, rate, frames) = (try TemporaryFolder(), 44_100, 20_000)
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: channels)
    var samples = [Float](repeating: 0, count: frames * channels)
    // A tone of its own for each channel, low enough for the one that has nothing else.
    for place in samples.indices {
      let (frame, channel) = (Double(place / channels), Double(place % channels))
      samples[place] = 0.4 * Float(sin(2 * .pi * (60 + 30 * channel) * frame / Double(rate)))
    }
    let encoded = try Encoded(samples, format: format, bitRate: 80_000 * channels)
    let path = folder.path("sound.aac")
    try encoded.write(to: path)
    let layout = channels == 4 ? ["-channel_layout", "4.0"] : []
    let ffmpeg = try Tool.ffmpeg.run(["-nostdin", "-v", "error"] + layout + ["-i", path, "-f", "f32le", "-"])
    try #require(ffmpeg.status == 0, "\(ffmpeg.errors)")
    let decoded = unsafe ffmpeg.output.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }.dropFirst(
      1024 * channels)
    for channel in 0..<channels {
      var (signal, noise) = (0.0, 0.0)
      for frame in 0..<frames {
        let (x, y) = (samples[frame * channels + channel], decoded[decoded.startIndex + frame * channels + channel])
        signal += Double(x * x)
        noise += Double((x - y) * (x - y))
      }
      #expect(10 * log10(signal / noise) > 25, "channel \(channel)")
    }
  }

  @Test(
    "noise keeps to the pulses of a sound that comes in pulses",
    .needs(.ffmpeg))
  func noiseFollowsPulses() throws {
    let (folder, frames, period) = (try TemporaryFolder(), 16_000, 400)
    var noise = Noise(state: 5)
    let samples = (0..<frames).map {
      0.5 * exp(-Float($0 % period) / 40) * Float.random(in: -1...1, using: &noise)
    }
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 1)
    let path = folder.path("pulses.aac")
    try Encoded(samples, format: format, bitRate: 48_000).write(to: path)
    let ffmpeg = try Tool.ffmpeg.run(["-nostdin", "-v", "error", "-i", path, "-f", "f32le", "-"])
    try #require(ffmpeg.status == 0 && ffmpeg.errors.isEmpty, "\(ffmpeg.errors)")
    let decoded = unsafe ffmpeg.output.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }.dropFirst(1024)
    var (loud, soft): (Float, Float) = (0, 0)
    for (frame, (x, y)) in zip(samples, decoded).enumerated() where frame > 2048 {
      // The first quarter of a period holds the pulse, the third nothing.
      switch frame % period * 4 / period {
      case 0: loud += (x - y) * (x - y)
      case 2: soft += (x - y) * (x - y)
      default: break
      }
    }
    #expect(loud > 4 * soft)
  }
}
