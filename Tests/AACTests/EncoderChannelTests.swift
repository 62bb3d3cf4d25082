import Foundation
import Lyrebird
import TestSupport
import Testing

/// Sound of more channels than 5.1, and what rate a sound is given.
@Suite("AAC encoder: channels and rates", .inTurn)
struct EncoderChannelTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A tone of its own for each channel, low enough for the one that has nothing else.
  private func tones(_ layout: ChannelLayout, frames: Int) -> [Float] {
    var samples: [Float] = []
    for frame in 0..<frames {
      for channel in 0..<layout.channels {
        let frequency = Double(60 + 30 * channel)
        samples.append(0.4 * Float(sin(2 * Double.pi * frequency * Double(frame) / 48_000)))
      }
    }
    return samples
  }

  /// A movie of the tones, without a bit rate.
  private func encode(_ layout: ChannelLayout, frames: Int) throws -> String {
    let format = AudioFormat(sampleRate: 48_000, sampleFormat: .float32, layout: layout)
    var encoder = try AACEncoder(format: format)
    let path = folder.path("made.m4a")
    let muxer = try MP4Muxer(path: path, tracks: [try MuxerTrack(encoder)])
    let sound = PCMBuffer(tones(layout, frames: frames), sampleRate: 48_000, layout: layout)
    for packet in try encoder.encode(sound) { try muxer.append(packet) }
    for packet in encoder.finish().packets { try muxer.append(packet) }
    _ = try muxer.finish()
    return path
  }

  /// Masks of WAVE files, and how many channels each has.
  static let layouts: [(UInt32, Int)] = [(0x13F, 7), (0x70F, 7), (0x63F, 8), (0xFF, 8)]

  /// Whether each channel holds its tone and nothing else.
  private func check(_ samples: [Float], _ channels: Int, order: [Int], by name: String) {
    let frames = samples.count / channels
    guard frames >= 20_000 else {
      Issue.record("\(name): \(frames) frames")
      return
    }
    for (output, input) in order.enumerated() {
      // The tones' parts of this channel: their product with sine and cosine.
      let parts = (0..<channels).map { tone in
        var (sine, cosine) = (0.0, 0.0)
        for frame in 8000..<16_000 {
          let angle = 2 * Double.pi * Double(60 + 30 * tone) * Double(frame) / 48_000
          let sample = Double(samples[frame * channels + output])
          (sine, cosine) = (sine + sample * sin(angle), cosine + sample * cos(angle))
        }
        return (sine * sine + cosine * cosine).squareRoot() / 4000
      }
      #expect(abs(parts[input] - 0.4) < 0.05, "\(name): output \(output) of tone \(input): \(parts)")
      for tone in 0..<channels where tone != input { #expect(parts[tone] < 0.03, "\(name): \(output): \(parts)") }
    }
  }

  @Test("6.1 and 7.1 come back channel by channel, from us and from ffmpeg", .needs(.ffmpeg), arguments: layouts)
  func surround(mask: UInt32, channels: Int) throws {
    let layout = ChannelLayout(channels: channels, mask: mask)
    let path = try encode(layout, frames: 24_000)
    let movie = try MP4Demuxer(path: path)
    let track = try #require(movie.audioTrack)
    let config = try AudioSpecificConfig(try #require(track.descriptions.first))
    #expect(config.channelConfiguration == (channels == 7 ? 11 : 12))
    // Inner front channels stand behind the back ones, as the sides do whose place they take. Where sides are the only
    // surround channels, they come back as back channels, in front of the one in the middle.
    let order = mask == 0x70F ? [0, 1, 2, 3, 5, 6, 4] : Array(0..<channels)
    let decoder = try AudioTrackDecoder(movie, track: track)
    var samples: [Float] = []
    while let sound = try decoder.next() { samples += sound.payload.floats }
    check(samples, channels, order: order, by: "ours")
    check(try ffmpegDecoded(path, options: []), channels, order: order, by: "ffmpeg")
  }

  /// A tone in the low-frequency channel as ffmpeg decodes it, beside what went in: the ratio of their energies.
  private func kept(_ frequency: Double) throws -> Double {
    let layout = ChannelLayout(channels: 6)
    var encoder = try AACEncoder(format: .float32(48_000, layout))
    let path = folder.path("\(Int(frequency)).m4a")
    let muxer = try MP4Muxer(path: path, tracks: [try MuxerTrack(encoder)])
    let tone = (0..<24_000).map { Float(0.4 * sin(2 * Double.pi * frequency * Double($0) / 48_000)) }
    let sound = PCMBuffer(tone.flatMap { [0, 0, 0, $0, 0, 0] }, sampleRate: 48_000, layout: layout)
    for packet in try encoder.encode(sound) + encoder.finish().packets { try muxer.append(packet) }
    try muxer.finish()
    let samples = try ffmpegDecoded(path, options: [])
    // Releases of ffmpeg differ in whether they cut what fills up the last packet.
    try #require(samples.count >= 6 * tone.count)
    func energy(_ sample: (Int) -> Float) -> Double {
      (4000..<20_000).reduce(0) { $0 + Double(sample($1) * sample($1)) }
    }
    return energy { samples[6 * $0 + 3] } / energy { tone[$0] }
  }

  @Test(
    "of a low-frequency channel the lowest 12 lines are coded and no others, as the standard wants", .needs(.ffmpeg))
  func lowFrequencyLines() throws {
    // A line is 23.4 Hz wide.
    for frequency in [60.0, 120, 220] { #expect(abs(try kept(frequency) - 1) < 0.05, "\(frequency) Hz") }
    for frequency in [345.0, 420] { #expect(try kept(frequency) < 0.001, "\(frequency) Hz") }
  }

  @Test(
    "the default bit rate is one the encoder accepts, and encodes every frame",
    arguments: [8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000])
  func rates(sampleRate: Int) throws {
    for channels in 1...8 {
      let format = AudioFormat(sampleRate: sampleRate, channels: channels)
      let rate = AACEncoder.defaultBitRate(for: format)
      #expect(AACEncoder.bitRates(for: format).contains(rate))
      var encoder = try AACEncoder(format: format)
      let sound = PCMBuffer(
        [Int16](repeating: 7, count: 5000 * channels), sampleRate: sampleRate, layout: format.layout)
      let packets = try encoder.encode(sound) + encoder.finish().packets
      #expect(packets.count == 6)
    }
  }

  @Test("The rates of usual sounds are the usual ones")
  func usualRates() {
    let expected: [(Int, Int, Int)] = [
      (44_100, 1, 64_000), (44_100, 2, 96_000), (48_000, 2, 96_000), (48_000, 6, 320_000), (48_000, 8, 448_000),
      (22_050, 2, 48_000), (8000, 1, 11_000), (96_000, 2, 192_000), (48_000, 7, 384_000),
    ]
    for (rate, channels, bitRate) in expected {
      #expect(AACEncoder.defaultBitRate(for: AudioFormat(sampleRate: rate, channels: channels)) == bitRate)
    }
  }
}
