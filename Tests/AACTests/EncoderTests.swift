import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

@Suite(.inTurn) struct EncoderTests {
  static let stereo = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 2)

  @Test(
    "durations add up to the priming and what went in", arguments: [0, 1, 1023, 1024, 1025, 3000])
  func durations(frames: Int) throws {
    let samples = Sound.music(frames: frames, channels: 2, rate: 44_100)
    let encoded = try Encoded(samples, format: EncoderTests.stereo)
    let times = encoded.packets.map(\.timing)
    #expect(times.first?.presentationTime == Int64(-encoded.priming))
    #expect(times.reduce(0) { $0 + $1.duration } == Int64(encoded.priming + frames))
    #expect(times.count == (frames + 1023) / 1024 + 1)
    #expect(times.dropLast().allSatisfy { $0.duration == 1024 })
    #expect(zip(times, times.dropFirst()).allSatisfy { $0.presentationTime + 1024 == $1.presentationTime })
    #expect(encoded.remainder == (times.count - 1) * 1024 - frames)
  }

  @Test("buffers of any size give the same bytes, and so does encoding again", arguments: [1, 1000, 1024, 50_000])
  func sameBytes(buffer: Int) throws {
    let samples = Sound.music(frames: 4000, channels: 2, rate: 44_100)
    let first = try Encoded(samples, format: EncoderTests.stereo).payloads
    #expect(try Encoded(samples, format: EncoderTests.stereo, buffer: buffer).payloads == first)
  }

  @Test("what AAC has no code for is refused, and what it can is said")
  func refusals() throws {
    #expect(refusal(AudioFormat(sampleRate: 44_099, channels: 2)).contains("44100"))
    #expect(refusal(AudioFormat(sampleRate: 192_000, channels: 2)).contains("96000"))
    #expect(refusal(AudioFormat(sampleRate: 48_000, channels: 9)).contains("7.1"))
    #expect(refusal(AudioFormat(sampleRate: 48_000, channels: 2), bitRate: 900_000).contains("to 576000"))
    #expect(refusal(AudioFormat(sampleRate: 48_000, channels: 2), bitRate: 1000).contains("12000 to"))
    #expect(throws: AACError(.cannotEncode(.quality(6)))) {
      _ = try AACEncoder(format: EncoderTests.stereo, quality: 6)
    }
  }

  private func refusal(_ format: AudioFormat, bitRate: Int = 96_000) -> String {
    do {
      _ = try AACEncoder(format: format, bitRate: bitRate)
      return "accepted"
    } catch {
      return error.description
    }
  }

  @Test("a buffer of another format is refused")
  func otherFormat() throws {
    var encoder = try AACEncoder(format: EncoderTests.stereo)
    do {
      _ = try encoder.encode(PCMBuffer([Int16](repeating: 0, count: 8), sampleRate: 48_000, layout: .stereo))
      Issue.record("accepted")
    } catch {
      #expect(error.code == .cannotEncode(.format(AudioFormat(sampleRate: 48_000, channels: 2))))
    }
  }

  @Test("times of packets count from the first sample's, less the priming; those of later samples do not count")
  func times() throws {
    let silence = PCMBuffer([Int16](repeating: 0, count: 2 * 3000), sampleRate: 44_100, layout: .stereo)
    func times(_ samples: [PCMSample]) throws -> [Int64] {
      var encoder = try AACEncoder(format: EncoderTests.stereo)
      var packets: [EncodedSample] = []
      for sample in samples { packets += try encoder.encode(sample) }
      packets += encoder.finish().packets
      return packets.map(\.timing.presentationTime)
    }
    #expect(try times([PCMSample(silence)]) == [-1024, 0, 1024, 2048])
    #expect(try times([PCMSample(silence, at: 50_000)]) == [48_976, 50_000, 51_024, 52_048])
    #expect(
      try times([PCMSample(silence, at: 1024), PCMSample(silence, at: 90_000)]) == (0..<7).map { Int64($0) * 1024 })
    #expect(try times([PCMSample(silence, at: .max), PCMSample(silence, at: .min)]).last == .max)
    #expect(try times([PCMSample(silence, at: .min)]).first == .min)
    #expect(try times([]) == [-1024])
  }

  @Test("the rate is kept within one per cent, and no frame outgrows the decoder's buffer")
  func constantRate() throws {
    let frames = 44_100 * 3
    let samples = Sound.music(frames: frames, channels: 2, rate: 44_100)
    for bitRate in [64_000, 192_000] {
      let encoded = try Encoded(samples, format: EncoderTests.stereo, bitRate: bitRate)
      let rate = encoded.rate(frames: frames, sampleRate: 44_100)
      #expect(abs(rate / Double(bitRate) - 1) < 0.01, "\(bitRate): \(rate)")
      #expect(encoded.packets.allSatisfy { $0.payload.count * 8 <= 6144 * 2 })
    }
  }

  @Test("no sound stops the encoder: silence, full scale, too loud, and what is not a number")
  func hostileSound() throws {
    let frames = 3000
    let sounds: [[Float]] = [
      [Float](repeating: 0, count: frames * 2), [Float](repeating: 1, count: frames * 2),
      (0..<(frames * 2)).map { $0 / 100 % 2 == 0 ? 1 : -1 }, [Float](repeating: .nan, count: frames * 2),
      (0..<(frames * 2)).map { $0 % 3 == 0 ? .infinity : -.greatestFiniteMagnitude },
      (0..<(frames * 2)).map { $0 == 3000 ? 1 : 0 },
      (0..<(frames * 2)).map { $0 % 2 == 0 ? 1e-30 : .leastNonzeroMagnitude },
    ]
    for (number, samples) in sounds.enumerated() {
      for bitRate in [24_000, 500_000] {
        let encoded = try Encoded(samples, format: EncoderTests.stereo, bitRate: bitRate)
        #expect(encoded.packets.count == 4, "sound \(number)")
        #expect(encoded.packets.allSatisfy { (1...1536).contains($0.payload.count) }, "sound \(number)")
      }
    }
  }
}
