import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// Whether packets are as large as was asked for, and never too large for a decoder.
@Suite("AAC encoder: rates", .inTurn)
struct EncoderRateTests {
  /// A decoder's buffer, which is filled at a constant rate and emptied a packet at a time.
  ///
  /// Source: ISO/IEC 14496-3, 4.5.3: 6144 bits for each channel.
  struct Buffer {
    /// The most bits in the buffer, if decoding begins as early as is possible without ever waiting.
    var mostHeld = 0.0
    var largestPacket = 0

    init(_ packets: [Int], bitsPerFrame: Double) {
      let (total, ends) =
        packets.reduce(into: (0, [])) {
          $0.0 += $1; $0.1.append($0.0)
        } as (Int, [Int])
      // What has to be there when the first packet is taken out, so that none is ever late.
      let start = ends.enumerated().map { Double($1) - Double($0) * bitsPerFrame }.max() ?? 0
      for (number, bits) in packets.enumerated() {
        let arrived = min(start + Double(number) * bitsPerFrame, Double(total))
        mostHeld = max(mostHeld, arrived - Double(ends[number] - bits))
        largestPacket = max(largestPacket, bits)
      }
    }
  }

  /// Bits of each packet.
  private func packets(
    _ samples: [Float], rate: Int, channels: Int, bitRate: Int, plans: Bool = false
  ) throws -> [Int] {
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: channels)
    return try Encoded(samples, format: format, bitRate: bitRate, plans: plans).packets.map { $0.payload.count * 8 }
  }

  /// Silence, a burst of noise, a click, music: what makes packets of all sizes.
  private func changing(frames: Int, channels: Int, rate: Int) -> [Float] {
    var noise = Noise(state: 3)
    var samples = Sound.music(frames: frames, channels: channels, rate: rate)
    for index in samples.indices {
      switch index * 4 / samples.count {
      case 0: samples[index] = 0
      case 1: samples[index] = Float.random(in: -1...1, using: &noise)
      case 2: samples[index] = index % 20_000 < channels ? 1 : 0
      default: break
      }
    }
    return samples
  }

  static let settings: [(rate: Int, channels: Int, bitRate: Int)] = [
    (8000, 1, 48_000), (48_000, 2, 576_000), (48_000, 2, 575_001), (44_100, 2, 529_200), (44_100, 2, 320_000),
    (48_000, 1, 128_000), (44_100, 2, 64_000), (48_000, 2, 16_000), (44_100, 1, 24_000),
  ]

  @Test("no packet and no run of packets outgrows the decoder's buffer", arguments: settings, [false, true])
  func buffer(_ setting: (rate: Int, channels: Int, bitRate: Int), plans: Bool) throws {
    let (rate, channels, bitRate) = setting
    let samples = changing(frames: 60 * 1024, channels: channels, rate: rate)
    let packets = try packets(samples, rate: rate, channels: channels, bitRate: bitRate, plans: plans)
    let buffer = Buffer(packets, bitsPerFrame: Double(bitRate) * 1024 / Double(rate))
    #expect(buffer.largestPacket <= 6144 * channels)
    // Packets are whole bytes, where the buffer may have less than one to spare.
    #expect(buffer.mostHeld <= Double(6144 * channels + 8))
  }

  @Test("the last packets, too, leave no more for later ones than the decoder's buffer holds", arguments: [2, 3, 8])
  func bufferAtTheEnd(left: Int) {
    let mean = 256_000 * 1024 / 44_100.0
    var control = RateControl(bitsPerFrame: mean, channels: 2, linesInUse: 2 * 900)
    var packets: [Int] = []
    // As little as may be, so that all is saved up that can be; at the end again, then as much as may be.
    func spend(_ bits: Int) {
      packets.append(bits)
      control.spend(bits)
    }
    for _ in 0..<100 { spend(control.minimum) }
    control.expect(packets: left, frames: Double(left) - 0.5)
    for _ in 0..<left - 2 { spend(control.minimum) }
    for _ in 0..<2 { spend(max(control.minimum, control.allowance / 8 * 8)) }
    #expect(Buffer(packets, bitsPerFrame: mean).mostHeld <= 2 * 6144 + 8)
  }

  @Test("the rate is right, from the lowest to the highest", arguments: settings, [false, true])
  func rates(_ setting: (rate: Int, channels: Int, bitRate: Int), plans: Bool) throws {
    let (rate, channels, bitRate) = setting
    let frames = 4 * rate
    for samples in [
      changing(frames: frames, channels: channels, rate: rate), [Float](repeating: 0, count: frames * channels),
    ] {
      let packets = try packets(samples, rate: rate, channels: channels, bitRate: bitRate, plans: plans)
      let made = Double(packets.reduce(0, +)) / 4
      // At most four packets are borrowed, or left over with three at the end that need not be filled: within 2 % over
      // ten seconds, and 0.5 % over a minute.
      let packet = 1024 / Double(frames)
      #expect((-7.1 * packet...4.1 * packet).contains(made / Double(bitRate) - 1), "\(made)")
    }
  }

  /// A frame takes bits by how difficult it is, and by the price: about so many more at a lower one.
  private func bits(_ difficulty: Double, _ control: RateControl) -> Int {
    let wanted = Int(difficulty * pow(Double(control.price), -0.3)) / 8 * 8
    return min(max(wanted, control.minimum), control.allowance / 8 * 8)
  }

  @Test("an average rate is met to half a percent, and gives difficult passages more", arguments: [60.0, 600, 3600])
  func averageRate(seconds: Double) {
    let mean = 64_000 * 1024 / 44_100.0
    let frames = Int(seconds * 44_100 / 1024)
    var shares: [Double] = []
    for isAverage in [false, true] {
      var control = RateControl(bitsPerFrame: mean, isAverage: isAverage, channels: 2, linesInUse: 2 * 600)
      var (total, difficult) = (0, 0)
      for frame in 0..<frames {
        if frame == frames - 3 { control.expect(packets: 3, frames: 3) }
        // Ten seconds of each kind in turn.
        let isDifficult = frame / 430 % 2 == 1
        let spent = bits(isDifficult ? 1500 : 500, control)
        control.spend(spent)
        total += spent
        if isDifficult { difficult += spent }
      }
      #expect(abs(Double(total) / (mean * Double(frames)) - 1) < 0.0055, "\(isAverage)")
      shares.append(Double(difficult) / Double(total))
    }
    // Both kinds are as long. The longer the sound, the more may be lent from one to the other.
    #expect(shares[1] > shares[0] + (seconds > 60 ? 0.08 : -0.01), "\(shares)")
  }

  @Test("the last packets of a sound need not pay back what was borrowed, up to 1.5 % of all bits")
  func lastPackets() {
    let mean = 64_000 * 1024 / 44_100.0
    var control = RateControl(bitsPerFrame: mean, channels: 2, linesInUse: 2 * 600)
    var total = 0
    func spend(_ bits: Int) {
      total += bits
      control.spend(bits)
    }
    for _ in 0..<300 { spend(control.allowance / 8 * 8) }
    control.expect(packets: 3, frames: 3)
    for _ in 0..<3 {
      #expect(Double(control.allowance) > 0.95 * mean)
      spend(control.allowance / 8 * 8)
    }
    #expect(Double(total) < 1.0155 * 303 * mean, "\(Double(total) / 303 / mean)")
  }

  @Test("at a constant rate, silence saves up what the reservoir holds, and makes the price no lower than that does")
  func constantAfterSilence() {
    let mean = 64_000 * 1024 / 44_100.0
    var control = RateControl(bitsPerFrame: mean, channels: 2, linesInUse: 2 * 600)
    for _ in 0..<1000 { control.spend(bits(1000, control)) }
    let before = control.price
    for _ in 0..<430 { control.spend(control.minimum, content: 32) }
    // Four frames were saved, and the price yields by half of that: two halvings.
    #expect((before / 5...before / 3).contains(control.price), "\(before), then \(control.price)")
  }

  @Test("after silence at the beginning, the guess of a price is corrected as fast as without")
  func guessAfterSilence() {
    let mean = 64_000 * 1024 / 44_100.0
    var control = RateControl(bitsPerFrame: mean, channels: 2, linesInUse: 2 * 600)
    for _ in 0..<100 { control.spend(control.minimum, content: 32) }
    let guess = control.price
    for _ in 0..<12 { control.spend(control.minimum, content: control.minimum / 2) }
    #expect(control.price < guess / 4, "\(guess), then \(control.price)")
  }

  @Test("at an average rate, silence saves up a little for the sound after it, not all that it leaves")
  func averageAfterSilence() {
    let mean = 64_000 * 1024 / 44_100.0
    var control = RateControl(bitsPerFrame: mean, isAverage: true, channels: 2, linesInUse: 2 * 600)
    var bits = 0
    for _ in 0..<10_000 {
      bits += 32
      control.spend(32)
    }
    #expect(control.minimum == 0 && control.allowance <= 2 * 6144)
    bits = 0
    for _ in 0..<1000 {
      let spent = self.bits(1000, control)
      bits += spent
      control.spend(spent)
    }
    // Half a percent of what was silent, and as much again borrowed.
    #expect((1.02...1.11).contains(Double(bits) / (1000 * mean)), "\(bits)")
  }

  @Test(
    "average rates are met within 2 % over ten seconds, up to the highest, at which all packets are full",
    arguments: [96_000, 320_000, 400_000, 460_000, 529_200])
  func averageOfSound(bitRate: Int) throws {
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 2)
    let samples = Sound.music(frames: 441_000, channels: 2, rate: 44_100)
    let encoder = try AACEncoder(format: format, bitRate: bitRate, averagesBitRate: true)
    let packets = try Encoded(samples, format: format, encoder: encoder).packets
    let rate = Double(packets.reduce(0) { $0 + $1.payload.count * 8 }) / 10
    #expect((0.98...1.02).contains(rate / Double(bitRate)), "\(rate)")
    #expect(packets.allSatisfy { $0.payload.count * 8 <= 2 * 6144 })
  }

  @Test("after a long simple sound at a high average rate, the price rises at once when a difficult one sets in")
  func priceAfterSimpleSound() {
    let mean = 128_000 * 1024 / 44_100.0
    var control = RateControl(bitsPerFrame: mean, isAverage: true, channels: 2, linesInUse: 2 * 600)
    for _ in 0..<4000 { control.spend(Int(0.3 * mean), price: control.price) }
    #expect(control.price < 1e-4)
    let before = control.price
    // A frame that was tried at higher prices until it was small enough.
    control.spend(control.allowance, price: 0.05)
    #expect(control.price > 8 * before, "\(before), then \(control.price)")
  }

  @Test(
    "short sounds take no more than their share",
    arguments: [500, 1000, 1100, 2048, 2100, 3073, 4410, 6000, 10_000, 10_241, 12_000, 16_000], [false, true])
  func shortSounds(frames: Int, plans: Bool) throws {
    for (channels, bitRate) in [(2, 96_000), (1, 32_000)] {
      let samples = Sound.music(frames: frames, channels: channels, rate: 44_100)
      let packets = try packets(samples, rate: 44_100, channels: channels, bitRate: bitRate, plans: plans)
      let share = Double(bitRate) * Double(frames) / 44_100
      // The packet of the sound's start and that of its end need a few bytes, however short it is.
      #expect(Double(packets.reduce(0, +)) <= max(1.03 * share, 0.62 * Double(bitRate) * 1024 / 44_100))
    }
  }

  /// The noise in a range of frames of one channel at 44.1 kHz, in dB beside the sound there.
  private func noise(in frames: Range<Int>, of samples: [Float], bitRate: Int) throws -> Double {
    let folder = try TemporaryFolder()
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 1)
    try Encoded(samples, format: format, bitRate: bitRate).write(to: folder.path("out.aac"))
    let decoded = Array(try ffmpegDecoded(folder.path("out.aac"), options: []).dropFirst(1024))
    return -Difference(Array(decoded[frames]), Array(samples[frames])).ratio
  }

  /// A decaying sound had packets that were filled up with nothing.
  @Test("bits that a soft ending leaves over make for less noise in it", .needs(.ffmpeg))
  func filling() throws {
    let samples = (0..<44_100).map { frame in
      let time = Double(frame) / 44_100
      let (low, high) = (0.5 * exp(-12 * time), 0.1 * exp(-20 * time))
      return Float(low * sin(2 * .pi * 180 * time) + high * sin(2 * .pi * 1130 * time))
    }
    let noise = try noise(in: 13_000..<26_000, of: samples, bitRate: 48_000)
    #expect(noise < -50, "\(noise) dB")
  }

  @Test("stereo can be made at 16 kb/s, and decoders read it", .needs(.ffmpeg))
  func lowestRate() throws {
    let format = AudioFormat(sampleRate: 48_000, sampleFormat: .float32, channels: 2)
    #expect(AACEncoder.bitRates(for: format).lowerBound <= 16_000)
    let folder = try TemporaryFolder()
    let samples = Sound.music(frames: 48_000, channels: 2, rate: 48_000)
    try Encoded(samples, format: format, bitRate: 16_000).write(to: folder.path("a.aac"))
    let decoded = try ffmpegDecoded(folder.path("a.aac"), options: [])
    #expect(decoded.count == 2 * 48 * 1024)
    var (sound, difference) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      sound += Double(sample * sample)
      difference += Double((decoded[index + 2048] - sample) * (decoded[index + 2048] - sample))
    }
    // More is right than wrong.
    #expect(difference < 0.5 * sound)
  }

  @Test("samples that cannot be encoded as they are are counted")
  func alteredSamples() throws {
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 2)
    var encoder = try AACEncoder(format: format)
    var samples = Sound.music(frames: 5000, channels: 2, rate: 44_100)
    _ = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    #expect(encoder.alteredSamples == 0)
    samples[7] = .nan
    samples[5000] = .infinity
    samples[5001] = -.infinity
    samples[9999] = -4.01
    samples[9000] = 4
    _ = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    let ending = encoder.finish()
    #expect(encoder.alteredSamples == 4)
    #expect(ending.packets.allSatisfy { $0.payload.count > 0 })
  }
}
