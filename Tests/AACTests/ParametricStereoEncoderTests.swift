import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// Encoding with parametric stereo: what ffmpeg and our decoder make of it, against what went in.
@Suite(.inTurn) struct ParametricStereoEncoderTests {
  private static let rate = 44_100
  /// Frames by which decoders are late: a packet of priming and their filters.
  private static let delay = 2048 + 962

  static func encoded(
    _ samples: [Float], rate: Int = rate, bitRate: Int?,
    signalling: AudioSpecificConfig.ExtensionSignalling = .explicit
  ) throws -> Encoded {
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: 2)
    let encoder = try AACEncoder(
      format: format, profile: .highEfficiencyV2, bitRate: bitRate, signalling: signalling)
    return try Encoded(samples, format: format, encoder: encoder)
  }

  /// Left and right, in their place, as two decoders hear them.
  private func decoded(_ samples: [Float], bitRate: Int) throws -> [[[Float]]] {
    let made = try Self.encoded(samples, bitRate: bitRate)
    let folder = try TemporaryFolder()
    let path = folder.path("a.aac")
    try made.write(to: path)
    let raw = try Tool.ffmpeg.run(["-nostdin", "-v", "error", "-f", "aac", "-i", path, "-f", "f32le", "-"]).output
    let theirs = stride(from: 0, to: raw.count, by: 4).map { at in
      Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(raw[at + $1]) << UInt32(8 * $1) })
    }
    let decoder = try AACDecoder(configuration: made.configuration)
    #expect(decoder.format.channels == 2)
    var ours: [Float] = []
    for payload in try made.payloads {
      #expect(unsafe decoder.decode(payload.span.bytes) == .decoded)
      var block = [Float](repeating: 0, count: 2 * decoder.frameLength)
      unsafe block.withUnsafeMutableBytes { unsafe decoder.copyFloats(0..<decoder.frameLength, to: $0) }
      ours += block
    }
    return [theirs, ours].map { all in
      (0..<2).map { channel in stride(from: 2 * Self.delay + channel, to: all.count, by: 2).map { all[$0] } }
    }
  }

  private func stereo(frames: Int, _ value: (Int) -> (Double, Double)) -> [Float] {
    (0..<frames).flatMap { frame in
      let (left, right) = value(frame)
      return [Float(left), Float(right)]
    }
  }

  private func energy(_ samples: [Float], _ range: Range<Int> = 20_000..<60_000) -> Double {
    samples[range].reduce(0) { $0 + Double($1) * Double($1) }
  }

  private func correlation(_ channels: [[Float]]) -> Double {
    let range = 20_000..<60_000
    let both = range.reduce(0) { $0 + Double(channels[0][$1]) * Double(channels[1][$1]) }
    return both / (energy(channels[0]) * energy(channels[1])).squareRoot()
  }

  // MARK: Stereo images

  @Test(
    "a panned tone comes out where it was, as loud as it was", .needs(.ffmpeg),
    arguments: [0, 2.5, -7.5, 10.5, -16, 24.5])
  func panned(decibels: Double) throws {
    let ratio = pow(10, -abs(decibels) / 20)
    let samples = stereo(frames: 70_000) { frame in
      let tone = 0.3 * sin(2 * .pi * 997 * Double(frame) / Double(Self.rate))
      return decibels < 0 ? (ratio * tone, tone) : (tone, ratio * tone)
    }
    for channels in try decoded(samples, bitRate: 32_000) {
      let found = 10 * log10(energy(channels[0]) / energy(channels[1]))
      #expect(abs(found - decibels) < 1, "\(found) dB")
      // Both channels' mean squares: 0.3^2 / 2 for the louder one.
      let expected = 0.045 * (1 + ratio * ratio) * 40_000
      #expect(abs(10 * log10((energy(channels[0]) + energy(channels[1])) / expected)) < 0.5)
    }
  }

  @Test(
    "channels that have nothing in common have little in common still", .needs(.ffmpeg), arguments: [16_000, 32_000])
  func apart(bitRate: Int) throws {
    var noise = Noise(state: 3)
    let samples = (0..<140_000).map { _ in Float.random(in: -0.3...0.3, using: &noise) }
    for channels in try decoded(samples, bitRate: bitRate) { #expect(abs(correlation(channels)) < 0.3) }
  }

  @Test("the same sound in both channels stays the same, to the last bit", .needs(.ffmpeg))
  func middle() throws {
    let sound = HighEfficiencyEncoderTests.sound(frames: 70_000, channels: 1, rate: Self.rate)
    let samples = stereo(frames: 70_000) { (Double(sound[$0]), Double(sound[$0])) }
    for channels in try decoded(samples, bitRate: 24_000) { #expect(channels[0] == channels[1]) }
  }

  @Test("opposite channels do not cancel out", .needs(.ffmpeg))
  func opposite() throws {
    // Steady tones: of opposite channels, decoders make all by decorrelation, which holds attacks back.
    let sound = (0..<70_000).map { frame in
      let time = 2 * Double.pi * Double(frame) / Double(Self.rate)
      return Float(0.2 * sin(440 * time) + 0.1 * sin(1730 * time) + 0.05 * sin(4800 * time))
    }
    let samples = stereo(frames: 70_000) { (Double(sound[$0]), -Double(sound[$0])) }
    for channels in try decoded(samples, bitRate: 32_000) {
      let change = 10 * log10((energy(channels[0]) + energy(channels[1])) / (2 * energy(sound)))
      #expect(abs(change) < 1, "\(change) dB")
      #expect(correlation(channels) < -0.9)
    }
  }

  @Test("bursts left and right come in their channel and at their time, to a slot", .needs(.ffmpeg))
  func moving() throws {
    let places = [9000, 23_456, 40_001, 61_777]
    var noise = Noise(state: 9)
    var samples = [Float](repeating: 0, count: 2 * 88_200)
    var smooth = 0.0
    for (number, place) in places.enumerated() {
      for frame in 0..<1500 {
        // Low frequencies mostly, which are coded: of high ones only the levels are.
        smooth += 0.2 * (Double.random(in: -1...1, using: &noise) - smooth)
        samples[2 * (place + frame) + number % 2] = Float(smooth * exp(-Double(frame) / 300))
      }
    }
    for channels in try decoded(samples, bitRate: 32_000) {
      for (number, place) in places.enumerated() {
        let (sound, other) = (channels[number % 2], channels[1 - number % 2])
        let range = (place - 800)..<(place + 1500)
        #expect(10 * log10(energy(sound, range) / energy(other, range)) > 20)
        let original = stride(from: number % 2, to: samples.count, by: 2).map { samples[$0] }
        #expect(abs(median(original, range) - median(sound, range)) < 64)
        #expect(abs(10 * log10(energy(sound, range) / energy(original, range))) < 1)
      }
    }
  }

  /// Where half of the energy has come.
  private func median(_ samples: [Float], _ range: Range<Int>) -> Int {
    var sum = 0.0
    let half = energy(samples, range) / 2
    for index in range {
      sum += Double(samples[index]) * Double(samples[index])
      if sum > half { return index }
    }
    return range.upperBound
  }

  // MARK: Streams

  @Test(
    "ffmpeg and faad decode every kind of stream without a message",
    .needs(.ffmpeg, .faad), arguments: HighEfficiencyEncoderTests.rates)
  func decodes(rate: Int) throws {
    let folder = try TemporaryFolder()
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: 2)
    let range = AACEncoder.bitRates(for: format, profile: .highEfficiencyV2)
    let frames = EncoderDecodingTests.isThorough ? 30_000 : 12_000
    let samples = HighEfficiencyEncoderTests.sound(frames: frames, channels: 2, rate: rate)
    for bitRate in [range.lowerBound, 24_000.clamped(to: range), 48_000.clamped(to: range)] {
      let path = folder.path("\(bitRate).aac")
      let made = try Self.encoded(samples, rate: rate, bitRate: bitRate)
      try made.write(to: path)
      let (ffmpeg, messages) = try ffmpegReads(path)
      #expect(ffmpeg.status == 0 && messages.isEmpty, "\(bitRate): \(ffmpeg.errors)")
      #expect(made.packets.count == (frames + 962 + 2047) / 2048 + 1)
      #expect(made.packets.reduce(0) { $0 + Int($1.timing.duration) } == 2048 + frames)
      #expect(ffmpeg.output.count == made.packets.count * 2048 * 4 * 2, "\(bitRate)")
      let faad = try Tool.faad.run(["-q", "-o", folder.path("out.wav"), path])
      #expect(faad.status == 0 && faad.errors.isEmpty, "\(bitRate): \(faad.errors)")
    }
  }

  @Test("the rate is what was asked for, with all layers", arguments: [12_000, 16_000, 24_000, 32_000])
  func keepsRate(bitRate: Int) throws {
    let frames = 10 * Self.rate
    let samples = HighEfficiencyEncoderTests.sound(frames: frames, channels: 2, rate: Self.rate)
    let made = try Self.encoded(samples, bitRate: bitRate)
    #expect(abs(made.rate(frames: frames, sampleRate: Self.rate) / Double(bitRate) - 1) < 0.02)
  }

  @Test("no sound is too strange", arguments: [Float.nan, .infinity, -.infinity, 1e30, 1e-30], [8000, 32_000])
  func strange(value: Float, bitRate: Int) throws {
    var samples = HighEfficiencyEncoderTests.sound(frames: 20_000, channels: 2, rate: Self.rate)
    for index in stride(from: 0, to: samples.count, by: 7) { samples[index] = value }
    let made = try Self.encoded(samples, bitRate: bitRate)
    let decoder = try AACDecoder(configuration: made.configuration)
    for payload in try made.payloads { #expect(unsafe decoder.decode(payload.span.bytes) == .decoded) }
  }

  // MARK: Configuration

  @Test("the configuration says that there are layers, before the core's rate, after it or not at all")
  func configuration() throws {
    // Object type 29, 22 050 Hz, one channel, 44 100 Hz, object type 2.
    let explicit = try Self.encoded([], bitRate: nil)
    #expect(try explicit.configuration.written == [0xEB, 0x8A, 0x08, 0x00])
    #expect(explicit.configuration.name == "HE-AAC v2" && explicit.configuration.codecString == "mp4a.40.29")
    // Object type 2; then the extension for SBR and the one for PS.
    let compatible = try Self.encoded([], bitRate: nil, signalling: .backwardCompatible)
    #expect(try compatible.configuration.written == [0x13, 0x88, 0x56, 0xE5, 0xA5, 0x48, 0x80])
    #expect(compatible.configuration.name == "HE-AAC v2")
    #expect(try Self.encoded([], bitRate: nil, signalling: .none).configuration.written == [0x13, 0x88])
  }

  @Test("formats that HE-AAC v2 is not made of are refused")
  func refuses() {
    for (rate, channels) in [(44_100, 1), (44_100, 6), (8000, 2), (12_000, 2)] {
      let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: channels)
      #expect(!AACEncoder.canEncode(format, profile: .highEfficiencyV2))
      let error = #expect(throws: AACError.self) {
        _ = try AACEncoder(format: format, profile: .highEfficiencyV2, bitRate: 20_000).format
      }
      #expect(error?.code == .cannotEncode(.parametricStereo(format)))
      #expect(channels > 1 || error?.description.contains("1 channel at 44100 Hz") == true)
    }
  }
}
