import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// What is left of a sound where bits are few: bands that are only described, and those that are not coded at all.
@Suite("AAC encoder: low rates", .inTurn, .needs(.ffmpeg))
struct EncoderLowRateTests {
  private static let rate = 44_100
  private static let frames = 44_100

  /// Noise in each channel, the same or different.
  private func noise(channels: Int, isShared: Bool) -> [Float] {
    var noise = Noise(state: 11)
    return (0..<Self.frames).flatMap { _ -> [Float] in
      let first = Float.random(in: -0.3...0.3, using: &noise)
      return [first] + (1..<channels).map { _ in isShared ? first : Float.random(in: -0.3...0.3, using: &noise) }
    }
  }

  /// What ffmpeg decodes, channel by channel and without the priming.
  private func decoded(_ samples: [Float], channels: Int, bitRate: Int?, quality: Int = 3) throws -> [[Float]] {
    let folder = try TemporaryFolder()
    let format = AudioFormat(sampleRate: Self.rate, sampleFormat: .float32, channels: channels)
    try Encoded(samples, format: format, bitRate: bitRate, quality: quality).write(to: folder.path("a.aac"))
    let made = try ffmpegDecoded(folder.path("a.aac"), options: [])
    return split(Array(made.dropFirst(1024 * channels)), channels)
  }

  private func split(_ samples: [Float], _ channels: Int) -> [[Float]] {
    (0..<channels).map { channel in stride(from: channel, to: samples.count, by: channels).map { samples[$0] } }
  }

  /// Sums over spectra of stretches of two sounds at some frequencies in Hz: the energies of both, and what they share.
  private func compare(_ x: [Float], _ y: [Float], _ frequencies: [Double]) -> (x: Double, y: Double, both: Double) {
    var (xx, yy, xy) = (0.0, 0.0, 0.0)
    let length = 2048
    for start in stride(from: 4096, to: 36_000, by: length) {
      for frequency in frequencies {
        var (a, b, c, d) = (0.0, 0.0, 0.0, 0.0)
        for index in 0..<length {
          let angle = 2 * Double.pi * frequency * Double(index) / Double(Self.rate)
          let (sine, cosine) = (sin(angle), cos(angle))
          (a, b) = (a + Double(x[start + index]) * cosine, b + Double(x[start + index]) * sine)
          (c, d) = (c + Double(y[start + index]) * cosine, d + Double(y[start + index]) * sine)
        }
        (xx, yy, xy) = (xx + a * a + b * b, yy + c * c + d * d, xy + a * c + b * d)
      }
    }
    return (xx, yy, xy)
  }

  private static let high = stride(from: 6000.0, to: 7500, by: 130).map { $0 }

  @Test("noise is as loud as it was, though its lines are not sent")
  func noiseLevel() throws {
    let samples = noise(channels: 1, isShared: true)
    let made = try decoded(samples, channels: 1, bitRate: 24_000)[0]
    let found = compare(samples, made, Self.high)
    #expect(abs(10 * log10(found.y / found.x)) < 1)
    // Other noise: it was described, not coded.
    #expect(abs(found.both) < 0.3 * (found.x * found.y).squareRoot())
  }

  /// At 24 kb/s a channel, everything above 11.4 kHz was left out, though noise takes few bits.
  @Test(
    "noise is described up to 13.4 kHz at 24 kb/s, and at the quality that takes as much", arguments: [24_000, nil])
  func highestNoise(bitRate: Int?) throws {
    let samples = noise(channels: 1, isShared: true)
    let made = try decoded(samples, channels: 1, bitRate: bitRate, quality: 1)[0]
    let found = compare(samples, made, stride(from: 12_000, to: 13_500, by: 130).map { $0 })
    #expect(abs(10 * log10(found.y / found.x)) < 1)
    #expect(abs(found.both) < 0.3 * (found.x * found.y).squareRoot())
  }

  /// What a decoder makes of packets from one on.
  private func decoded(_ encoded: Encoded, from first: Int) throws -> [[Float]] {
    let decoder = try AACDecoder(configuration: encoded.configuration)
    return try encoded.packets[first...].map { try decoder.decode($0).payload.floats }
  }

  /// A decoder's substituted noise depends on all that it decoded before.
  @Test(
    "a decoder that begins in the middle finds the same noise at the usual rates, and another below",
    arguments: [(1, 64_000, true), (2, 96_000, true), (1, 63_000, false), (2, 79_000, false)])
  func noiseFromTheMiddle(channels: Int, bitRate: Int, isSame: Bool) throws {
    let format = AudioFormat(sampleRate: Self.rate, sampleFormat: .float32, channels: channels)
    let encoded = try Encoded(noise(channels: channels, isShared: false), format: format, bitRate: bitRate)
    let (all, late) = (try decoded(encoded, from: 0), try decoded(encoded, from: 10))
    // The first packet lacks the one before it.
    #expect((all[11...].elementsEqual(late[1...])) == isSame)
  }

  @Test("noise that differs between channels does so still, and what is in the middle stays there")
  func noiseInStereo() throws {
    let wide = try decoded(noise(channels: 2, isShared: false), channels: 2, bitRate: 48_000)
    let apart = compare(wide[0], wide[1], Self.high)
    #expect(abs(apart.both) < 0.3 * (apart.x * apart.y).squareRoot())
    let middle = try decoded(noise(channels: 2, isShared: true), channels: 2, bitRate: 48_000)
    let together = compare(middle[0], middle[1], Self.high)
    #expect(together.both > 0.95 * (together.x * together.y).squareRoot())
  }

  @Test("a high tone is kept at 64 kb/s, as loud as it was")
  func highTone() throws {
    var noise = Noise(state: 5)
    let samples = (0..<(2 * Self.frames)).map { index in
      let time = Double(index / 2) / Double(Self.rate)
      let hiss = Double.random(in: -0.01...0.01, using: &noise)
      return Float(0.2 * sin(2 * .pi * 440 * time) + 0.1 * sin(2 * .pi * 13_000 * time) + hiss)
    }
    let made = try decoded(samples, channels: 2, bitRate: 64_000)
    let found = compare(split(samples, 2)[0], made[0], [13_000])
    #expect(abs(10 * log10(found.y / found.x)) < 1)
    #expect(found.both > 0.9 * (found.x * found.y).squareRoot())
  }

  /// The highest frequency is 13.4 kHz there.
  @Test("a loud tone above the highest frequency is kept at 48 kb/s, and hiss there is not")
  func toneAbove() throws {
    // Whole periods in what is compared, so that the tone is not found elsewhere: 15.5 kHz, and 16 to 18.
    let (pitch, above) = (720 * 44_100.0 / 2048, stride(from: 745, to: 835, by: 6).map { Double($0) * 44_100 / 2048 })
    var noise = Noise(state: 6)
    let samples = (0..<(2 * Self.frames)).map { index in
      let time = Double(index / 2) / Double(Self.rate)
      let hiss = Double.random(in: -0.01...0.01, using: &noise)
      return Float(0.2 * sin(2 * .pi * pitch / 30 * time) + 0.1 * sin(2 * .pi * pitch * time) + hiss)
    }
    let made = try decoded(samples, channels: 2, bitRate: 48_000)[0]
    let tone = compare(split(samples, 2)[0], made, [pitch])
    #expect(abs(10 * log10(tone.y / tone.x)) < 1)
    #expect(tone.both > 0.9 * (tone.x * tone.y).squareRoot())
    let hiss = compare(split(samples, 2)[0], made, above)
    #expect(hiss.y < 0.01 * hiss.x)
  }

  /// A tone that is added to a sound and coded at 48 kb/s: its least and its greatest level over time, in dB of what it
  /// was.
  ///
  /// Its frequency is a number of periods in 2048 samples, for which its level is measured.
  private func levels(periods: Double, amplitude: Double, sound: (Int) -> Double) throws -> ClosedRange<Double> {
    let step = 2 * Double.pi * periods / 2048
    let samples = (0..<(2 * Self.frames)).map { Float(sound($0 / 2) + amplitude * sin(step * Double($0 / 2))) }
    let made = try decoded(samples, channels: 2, bitRate: 48_000)[0]
    let levels = stride(from: 4096, to: Self.frames - 8192, by: 2048).map { start in
      var (x, y) = (0.0, 0.0)
      for index in start..<start + 2048 {
        x += Double(made[index]) * cos(step * Double(index))
        y += Double(made[index]) * sin(step * Double(index))
      }
      return 20 * log10((x * x + y * y).squareRoot() / 1024 / amplitude)
    }
    return try #require(levels.min())...(try #require(levels.max()))
  }

  /// Every 16 ms the pulse of a voice, whose noise is shaped in time.
  @Test("a tone above the highest frequency stays where the noise of a voice is shaped in time")
  func toneAboveVoice() throws {
    var noise = Noise(state: 3)
    let levels = try levels(periods: 700, amplitude: 0.03) {
      Double.random(in: -0.5...0.5, using: &noise) * exp(-Double($0 % 700) / 40)
    }
    #expect(levels.lowerBound > -4 && levels.upperBound < 2, "\(levels)")
  }

  @Test("a tone above the highest frequency is coded all the time, or if it is not heard, never")
  func toneAboveThreshold() throws {
    var noise = Noise(state: 3)
    func sound(_ frame: Int) -> Double {
      0.2 * sin(2 * .pi * 440 * Double(frame) / 44_100) + Double.random(in: -0.003...0.003, using: &noise)
    }
    // At 15.5 kHz, 44 dB below full scale is below the threshold in quiet; at 15.1 kHz, 38 is above.
    #expect(try levels(periods: 722, amplitude: 0.006, sound: sound).upperBound < -20)
    #expect(try levels(periods: 700, amplitude: 0.012, sound: sound).lowerBound > -2)
  }

  /// A filter for noise over time put all noise of the last window, which is mostly after the end, into its first part.
  @Test("a sound that is cut off just after the boundary of a packet ends without a click")
  func cutOff() throws {
    var tone = [Double](repeating: 0, count: 13 * 1024 + 20)
    for harmonic in 1...11 {
      let (step, level) = (2 * Double.pi * 425 * Double(harmonic) / 44_100, 1 / Double(harmonic))
      for frame in tone.indices { tone[frame] += level * sin(step * Double(frame) + Double(harmonic * harmonic)) }
    }
    let peak = tone.map(abs).max() ?? 0
    let made = try decoded(tone.map { Float(0.8 * $0 / peak) }, channels: 1, bitRate: 24_000)[0]
    #expect(made.allSatisfy { abs($0) < 1 })
  }

  /// A window lasts 128 ms there: noise that is spread over all of it is heard wherever the sound is soft.
  @Test("at 16 kHz, noise rises and falls with a sound that swells within a window")
  func noiseOverTime() throws {
    let (rate, period) = (16_000, 800)
    var noise = Noise(state: 4)
    let swell = (0..<period).map { 0.02 + pow(max(sin(2 * Double.pi * Double($0) / Double(period)), 0), 4) }
    let samples = (0..<80 * period).map { Float(swell[$0 % period] * Double.random(in: -0.17...0.17, using: &noise)) }
    let folder = try TemporaryFolder()
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: 1)
    try Encoded(samples, format: format, bitRate: 24_000).write(to: folder.path("out.aac"))
    let decoded = Array(try ffmpegDecoded(folder.path("out.aac"), options: []).dropFirst(1024))
    var (loud, soft) = (0.0, 0.0)
    for index in 10 * period..<70 * period {
      let change = pow(Double(samples[index] - decoded[index]), 2)
      switch index % period {
      case 100..<300: loud += change
      case 500..<700: soft += change
      default: break
      }
    }
    #expect(10 * log10(loud / soft) > 10, "\(10 * log10(loud / soft)) dB")
  }
}
