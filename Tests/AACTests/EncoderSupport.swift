import Foundation
import MediaCore
import TestSupport

@testable import AAC

/// Sounds to encode, and what came out.
enum Sound {
  /// A steady tone of 220 Hz at 44.1 kHz, with 38 harmonics.
  static func harmonics(frames: Int) -> [Float] {
    (0..<frames).map { frame in
      let phase = 2 * .pi * 220 * Double(frame) / 44_100
      var sum = 0.0
      for number in 1..<40 { sum += sin(phase * Double(number) + Double(number * number)) / Double(number) }
      return Float(0.2 * sum)
    }
  }

  /// Tones that fade in turn, and noise: something of everything.
  static func music(frames: Int, channels: Int, rate: Int, seed: UInt64 = 1) -> [Float] {
    var noise = Noise(state: seed)
    var samples = [Float](repeating: 0, count: frames * channels)
    for frame in 0..<frames {
      let time = Double(frame) / Double(rate)
      for channel in 0..<channels {
        let pitch = 220 * Double(channel + 2) * (1 + (time * 4).rounded(.down) / 8)
        let fade = exp(-4 * (time * 4).truncatingRemainder(dividingBy: 1))
        let hiss = Double.random(in: -0.02...0.02, using: &noise)
        samples[frame * channels + channel] = Float(0.5 * fade * sin(2 * .pi * pitch * time) + hiss * fade)
      }
    }
    return samples
  }
}

/// All that an encoder made of a sound.
struct Encoded {
  var packets: [EncodedSample]
  var remainder: Int
  var configuration: AudioSpecificConfig
  var priming: Int

  /// Encodes samples in buffers of so many frames.
  init(
    _ samples: [Float], format: AudioFormat, bitRate: Int? = 96_000, plans: Bool = false, quality: Int = 3,
    buffer: Int = 4096
  ) throws {
    let encoder =
      if let bitRate {
        try AACEncoder(format: format, bitRate: bitRate, plansShortSounds: plans)
      } else {
        try AACEncoder(format: format, quality: quality)
      }
    try self.init(samples, format: format, encoder: encoder, buffer: buffer)
  }

  /// Encodes samples with an encoder in buffers of so many frames.
  init(_ samples: [Float], format: AudioFormat, encoder: consuming AACEncoder, buffer: Int = 4096) throws {
    var encoder = encoder
    (configuration, priming) = (encoder.configuration, encoder.priming)
    packets = []
    for start in stride(from: 0, to: samples.count, by: buffer * format.channels) {
      let part = samples[start..<min(start + buffer * format.channels, samples.count)]
      let pcm =
        switch format.sampleFormat {
        case .float32: PCMBuffer(Array(part), sampleRate: format.sampleRate, layout: format.layout)
        case .int24, .int32:
          PCMBuffer(
            part.map { Int32(pcm: $0) }, sampleFormat: format.sampleFormat, sampleRate: format.sampleRate,
            layout: format.layout)
        case .int16: PCMBuffer(part.map { Int16(pcm: $0) }, sampleRate: format.sampleRate, layout: format.layout)
        }
      packets += try encoder.encode(pcm)
    }
    let ending = encoder.finish()
    packets += ending.packets
    remainder = ending.remainder
  }

  /// The bytes of each packet.
  var payloads: [[UInt8]] {
    get throws { try packets.map { Array(try $0.payload.load()) } }
  }

  /// The packets as an ADTS file.
  func write(to path: String) throws {
    var writer = try ADTSWriter(path: path, configuration: configuration)
    for packet in packets { try writer.append(packet) }
    _ = try writer.finish()
  }

  /// Bits a second of the payloads, over the sound's own length.
  func rate(frames: Int, sampleRate: Int) -> Double {
    Double(packets.reduce(0) { $0 + $1.payload.count } * 8) * Double(sampleRate) / Double(frames)
  }
}
