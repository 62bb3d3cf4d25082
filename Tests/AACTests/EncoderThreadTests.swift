import Glibc
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// The number of threads is a matter of speed alone.
@Suite("Threads of the encoder", .inTurn)
struct EncoderThreadTests {
  /// A way to encode.
  struct Setting: Sendable, CustomTestStringConvertible {
    var name: String
    var layout = ChannelLayout.stereo
    var bitRate: Int? = 96_000
    var profile = AACEncoder.Profile.lowComplexity
    var testDescription: String { name }

    var format: AudioFormat { AudioFormat(sampleRate: 44_100, sampleFormat: .float32, layout: layout) }

    func encoder(threads: Int) throws -> AACEncoder {
      guard let bitRate else { return try AACEncoder(format: format, quality: 3, threads: threads) }
      return try AACEncoder(format: format, profile: profile, bitRate: bitRate, threads: threads)
    }
  }

  private static let settings = [
    Setting(name: "mono", layout: .mono, bitRate: 64_000), Setting(name: "stereo"),
    Setting(name: "stereo with noise", bitRate: 48_000),
    Setting(name: "5.1", layout: ChannelLayout(channels: 6), bitRate: 320_000), Setting(name: "quality", bitRate: nil),
    Setting(name: "HE-AAC", bitRate: 32_000, profile: .highEfficiency),
    Setting(name: "HE-AAC of mono", layout: .mono, bitRate: 24_000, profile: .highEfficiency),
  ]

  /// Music that stops and begins again with full-scale squares, so that the price of a bit jumps.
  private func sound(frames: Int, channels: Int) -> [Float] {
    var samples = Sound.music(frames: frames, channels: channels, rate: 44_100)
    for index in samples.indices {
      switch index / channels % 60_000 {
      case 30_000..<45_000: samples[index] = 0
      case 45_000..<48_000: samples[index] = index / channels / 50 % 2 == 0 ? 1 : -1
      default: break
      }
    }
    return samples
  }

  @Test("any number of threads makes the same packets, from buffers of any size", arguments: settings)
  func sameBytes(setting: Setting) throws {
    let samples = sound(frames: 130_000, channels: setting.format.channels)
    let expected = try Encoded(samples, format: setting.format, encoder: setting.encoder(threads: 1))
    for (threads, buffer) in [(2, 4096), (2, 130_000), (3, 777), (8, 50_001)] {
      let encoded = try Encoded(
        samples, format: setting.format, encoder: setting.encoder(threads: threads), buffer: buffer)
      #expect(try encoded.payloads == expected.payloads, "\(threads) threads, buffers of \(buffer)")
      #expect(encoded.packets.map(\.timing) == expected.packets.map(\.timing))
      #expect(encoded.remainder == expected.remainder)
    }
  }

  @Test(
    "any number of threads makes the same packets of short sounds",
    arguments: [0, 1, 1023, 1024, 1025, 2047, 2048, 2049, 5000, 15 * 1024, 16 * 1024, 17 * 1024 + 1, 33 * 1024])
  func shortSounds(frames: Int) throws {
    let samples = sound(frames: frames, channels: 2)
    for setting in [EncoderThreadTests.settings[1], EncoderThreadTests.settings[5]] {
      let expected = try Encoded(samples, format: setting.format, encoder: setting.encoder(threads: 1))
      let encoded = try Encoded(samples, format: setting.format, encoder: setting.encoder(threads: 2))
      #expect(try encoded.payloads == expected.payloads)
      #expect(encoded.packets.map(\.timing) == expected.packets.map(\.timing))
    }
  }

  @Test("one thread makes packets once the sound of ten is there, and from then on holds none back")
  func latency() throws {
    var encoder = try AACEncoder(format: AudioFormat(sampleRate: 44_100, sampleFormat: .float32, layout: .mono))
    func silence(_ frames: Int) -> PCMBuffer {
      PCMBuffer([Float](repeating: 0, count: frames), sampleRate: 44_100, layout: .mono)
    }
    #expect(try encoder.encode(silence(10 * 1024 - 1)).isEmpty)
    #expect(try encoder.encode(silence(1)).count == 9)
    for _ in 0..<5 { #expect(try encoder.encode(silence(1024)).count == 1) }
    _ = encoder.finish()
  }

  @Test("several threads hold back what is under way and what waits, and a finished encoder nothing")
  func heldBack() throws {
    let samples = [Float](repeating: 0, count: 200 * 1024)
    var encoder = try AACEncoder(
      format: AudioFormat(sampleRate: 44_100, sampleFormat: .float32, layout: .mono), threads: 4)
    let first = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .mono)).count
    #expect(first >= 200 - 1 - FrameSchedule.places - FrameSchedule.blocks && first < 200)
    #expect(first + encoder.finish().packets.count == 201)
    #expect(encoder.finish().packets.isEmpty)
    #expect(throws: AACError(.finished)) {
      _ = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .mono))
    }
  }

  @Test("an encoder on several threads that is dropped in the middle is freed, with its pipeline")
  func droppedInTheMiddle() throws {
    weak var pipeline: FramePipeline?
    func encodeAndDrop() throws {
      let samples = [Float](repeating: 0, count: 200 * 1024)
      var encoder = try AACEncoder(
        format: AudioFormat(sampleRate: 44_100, sampleFormat: .float32, layout: .mono), threads: 2)
      _ = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .mono))
      pipeline = encoder.pipeline
      #expect(pipeline != nil)
    }
    try encodeAndDrop()
    // The batch that was begun is worked on to its end.
    for _ in 0..<1000 where pipeline != nil { usleep(10_000) }
    #expect(pipeline == nil)
  }

  @Test("a cancelled task stops several threads in a long buffer")
  func cancellation() async throws {
    let task = Task.detached { () -> AACError? in
      while !Task.isCancelled { await Task.yield() }
      do throws(AACError) {
        var encoder = try AACEncoder(
          format: AudioFormat(sampleRate: 44_100, sampleFormat: .float32, layout: .mono), threads: 3)
        let samples = [Float](repeating: 0, count: 200 * 1024)
        _ = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .mono))
        return nil
      } catch {
        return error
      }
    }
    task.cancel()
    #expect(await task.value?.code == .cancelled)
  }
}
