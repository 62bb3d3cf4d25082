import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// An encoder of low delay looks no further ahead than a packet's window, and makes an ordinary stream all the same.
@Suite("AAC encoder: low delay", .inTurn)
struct EncoderDelayTests {
  private static let stereo = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 2)
  private static let mono = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, layout: .mono)

  @Test("a packet is made once the frames of its window are there, which is one packet sooner than usual")
  func packetsComeSooner() throws {
    let silence = PCMBuffer([Float](repeating: 0, count: 1024), sampleRate: 44_100, layout: .mono)
    // Usually the first nine wait for the sound of ten; for a low delay, none waits.
    let (soon, usual) = ([Int](repeating: 1, count: 12), [Int](repeating: 0, count: 9) + [9, 1, 1])
    for (lowDelay, expected) in [(true, soon), (false, usual)] {
      var encoder = try AACEncoder(format: Self.mono, lowDelay: lowDelay)
      var counts: [Int] = []
      for _ in 0..<12 { counts.append(try encoder.encode(silence).count) }
      #expect(counts == expected)
      _ = encoder.finish()
    }
  }

  @Test(
    "ffmpeg decodes every frame, in its place", .needs(.ffmpeg),
    arguments: [0, 1, 1023, 1024, 1025, 2048, 5000, 30_000])
  func decodes(frames: Int) throws {
    let folder = try TemporaryFolder()
    let samples = Sound.music(frames: frames, channels: 2, rate: 44_100)
    let encoder = try AACEncoder(format: Self.stereo, bitRate: 128_000, lowDelay: true)
    let encoded = try Encoded(samples, format: Self.stereo, encoder: encoder)
    let path = folder.path("out.aac")
    try encoded.write(to: path)
    #expect(encoded.packets.reduce(0) { $0 + $1.timing.duration } == Int64(encoded.priming) + Int64(frames))
    let (ffmpeg, messages) = try ffmpegReads(path)
    #expect(ffmpeg.status == 0 && messages.isEmpty, "\(ffmpeg.errors)")
    #expect(ffmpeg.output.count == encoded.packets.count * 1024 * 4 * 2)
    guard frames >= 5000 else { return }
    let decoded = try ffmpegDecoded(path, options: []).dropFirst(2 * 1024)
    // What is not in its place has nothing in common with the sound.
    let noise = zip(samples, decoded).reduce(0) { $0 + pow(Double($1.0 - $1.1), 2) }
    let energy = samples.reduce(0) { $0 + pow(Double($1), 2) }
    #expect(noise < 0.02 * energy, "\(10 * log10(energy / noise)) dB")
  }

  @Test("an attack takes short windows where it is seen in time: in the last half of what comes new with a packet")
  func attacks() throws {
    let decoder = try AACDecoder(configuration: AudioSpecificConfig(sampleRate: 44_100, channelConfiguration: 1))
    for (place, isSeen) in [(100, false), (400, false), (600, true), (1000, true)] {
      var noise = Noise(state: 3)
      var samples = (0..<20 * 1024).map { _ in Float.random(in: -0.001...0.001, using: &noise) }
      for frame in (10 * 1024 + place)..<(10 * 1024 + place + 300) { samples[frame] *= 500 }
      for lowDelay in [true, false] {
        let encoder = try AACEncoder(format: Self.mono, lowDelay: lowDelay)
        let encoded = try Encoded(samples, format: Self.mono, encoder: encoder)
        let areShort = try encoded.payloads.map { payload in
          decoder.windows(of: payload).map { !$0.beginsLong && !$0.endsLong } ?? false
        }
        #expect(areShort.contains(true) == (isSeen || !lowDelay), "\(place), \(lowDelay)")
      }
    }
  }

  @Test("a low delay is refused for HE-AAC", arguments: [AACEncoder.Profile.highEfficiency, .highEfficiencyV2])
  func highEfficiency(profile: AACEncoder.Profile) {
    #expect(throws: AACError(.cannotEncode(.lowDelay))) {
      _ = try AACEncoder(format: Self.stereo, profile: profile, lowDelay: true)
    }
  }

  @Test("several threads make the same bytes, at a rate and at a quality")
  func threads() throws {
    let samples = Sound.music(frames: 60_000, channels: 2, rate: 44_100)
    func payloads(_ threads: Int, _ quality: Int?) throws -> [[UInt8]] {
      let encoder =
        if let quality {
          try AACEncoder(format: Self.stereo, quality: quality, lowDelay: true, threads: threads)
        } else {
          try AACEncoder(format: Self.stereo, lowDelay: true, threads: threads)
        }
      return try Encoded(samples, format: Self.stereo, encoder: encoder).payloads
    }
    for quality in [nil, 3] { #expect(try payloads(3, quality) == payloads(1, quality)) }
  }

  @Test("rates are met, and the decoder's buffer never has too much to hold", arguments: [32_000, 96_000, 320_000])
  func rates(bitRate: Int) throws {
    let frames = 10 * 44_100
    let samples = Sound.music(frames: frames, channels: 2, rate: 44_100)
    let encoder = try AACEncoder(format: Self.stereo, bitRate: bitRate, lowDelay: true)
    let encoded = try Encoded(samples, format: Self.stereo, encoder: encoder)
    #expect(abs(encoded.rate(frames: frames, sampleRate: 44_100) / Double(bitRate) - 1) < 0.02)
    let packets = encoded.packets.map { $0.payload.count * 8 }
    let buffer = EncoderRateTests.Buffer(packets, bitsPerFrame: Double(bitRate) * 1024 / 44_100)
    #expect(buffer.mostHeld <= 6144 * 2 + 8)
  }
}
