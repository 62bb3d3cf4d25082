import AudioConversion
import Foundation
import Loudness
import MediaCore
import TestSupport
import Testing

/// The signals of EBU Tech 3341 and 3342, made from their descriptions. The long ones are at 8 kHz, as the weighting is
/// defined at any rate.
@Suite(.inTurn) struct LoudnessTests {
  /// A stretch of a tone: dB of full scale, as a peak, and seconds.
  typealias Part = (level: Double, seconds: Double)

  /// A tone in stereo through a meter.
  private func meter(_ parts: [Part], rate: Int = 8000, frequency: Double = 1000) throws -> LoudnessMeter {
    try meter(parts.map { ([$0.level, $0.level], $0.seconds) }, rate: rate, frequency: frequency, layout: .stereo)
  }

  /// A tone with a level for each channel.
  private func meter(
    _ parts: [(levels: [Double], seconds: Double)], rate: Int, frequency: Double = 1000, layout: ChannelLayout
  ) throws -> LoudnessMeter {
    var meter = try LoudnessMeter(sampleRate: rate, layout: layout, measuresTruePeak: false)
    var frame = 0
    for part in parts {
      let amplitudes = part.levels.map { Float(pow(10, $0 / 20)) }
      let end = frame + Int((part.seconds * Double(rate)).rounded())
      var samples: [Float] = []
      samples.reserveCapacity((end - frame) * amplitudes.count)
      while frame < end {
        let value = Float(sin(2 * .pi * frequency * Double(frame) / Double(rate)))
        for amplitude in amplitudes { samples.append(amplitude * value) }
        frame += 1
      }
      meter.add(samples.span)
    }
    meter.finish()
    return meter
  }

  private func isNear(_ value: Double?, _ expected: Double, _ tolerance: Double = 0.1) -> Bool {
    value.map { abs($0 - expected) <= tolerance } ?? false
  }

  @Test("Tech 3341, 1 and 2: a tone of -23 dBFS is at -23 LUFS, and so on", arguments: [-23.0, -33.0])
  func steady(level: Double) throws {
    let meter = try meter([(level, 20)])
    #expect(isNear(meter.integrated, level) && isNear(meter.momentary, level) && isNear(meter.shortTerm, level))
    #expect(isNear(meter.momentaryMaximum, level) && isNear(meter.shortTermMaximum, level))
    #expect(isNear(meter.range, 0))
  }

  @Test(
    "Tech 3341, 3 to 5: gates leave out what is much softer than the rest",
    arguments: [
      [(-36, 10), (-23, 60), (-36, 10)], [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)],
      [(-26, 20), (-20, 20.1), (-26, 20)],
    ] as [[(Double, Double)]])
  func gates(parts: [(Double, Double)]) throws {
    #expect(isNear(try meter(parts.map { ($0.0, $0.1) }).integrated, -23))
  }

  @Test("Tech 3341, 6: surround channels count 1.5 dB more, low-frequency effects nothing")
  func surround() throws {
    let five = try meter(
      [([-28, -28, -24, -30, -30], 20)], rate: 8000, layout: ChannelLayout(channels: 5, mask: 0x37))
    #expect(isNear(five.integrated, -23))
    let six = try meter([([-28, -28, -24, 0, -30, -30], 5)], rate: 8000, layout: .surround5Point1)
    #expect(isNear(six.integrated, -23))
    let sides = try meter(
      [([-28, -28, -24, 0, -90, -90, -30, -30], 5)], rate: 8000, layout: ChannelLayout(channels: 8))
    #expect(isNear(sides.integrated, -23))
  }

  @Test("Tech 3341, 9 and 12: a level that changes within the window is averaged")
  func alternating() throws {
    let long = try meter((0..<5).flatMap { _ in [(-20, 1.34), (-30, 1.66)] as [Part] })
    #expect(isNear(long.shortTerm, -23) && isNear(long.shortTermMaximum, -23))
    let short = try meter((0..<25).flatMap { _ in [(-20, 0.18), (-30, 0.22)] as [Part] })
    #expect(isNear(short.momentary, -23) && isNear(short.momentaryMaximum, -23))
  }

  @Test("Tech 3341, 10 and 13: the loudest window is found wherever it begins", arguments: [0, 1, 7, 13, 19])
  func maxima(number: Int) throws {
    let long = try meter([(-200, 0.15 * Double(number)), (-23, 3), (-200, 1)])
    #expect(isNear(long.shortTermMaximum, -23))
    let short = try meter([(-200, 0.02 * Double(number) + 0.003), (-23, 0.4), (-200, 1)])
    #expect(isNear(short.momentaryMaximum, -23))
  }

  @Test(
    "Tech 3341, 15 to 19: peaks between samples",
    arguments: [
      (4, 0, 0.5, -6), (4, 45, 0.5, -6), (6, 60, 0.5, -6), (8, 67.5, 0.5, -6), (4, 45, 1.41, 3),
    ] as [(Double, Double, Double, Double)])
  func truePeaks(divisor: Double, phase: Double, amplitude: Double, expected: Double) throws {
    for rate in [8000, 96_000, 192_000] where rate < 192_000 || phase == 0 {
      var meter = try LoudnessMeter(sampleRate: rate, layout: .mono)
      let samples = (0..<2000).map { frame in
        // Fades, as the test signals have them: a tone that begins at once has higher peaks.
        let fade = min(1, Double(min(frame, 1999 - frame)) / 500)
        return Float(fade * amplitude * sin(2 * .pi * Double(frame) / divisor + phase * .pi / 180))
      }
      meter.add(samples.span)
      meter.finish()
      let peak = try #require(meter.truePeaks[0])
      #expect(peak >= expected - 0.4 && peak <= expected + 0.2, "\(peak) at \(rate)")
      let sample = try #require(meter.samplePeaks[0])
      #expect(sample <= peak)
    }
  }

  @Test(
    "Tech 3342, 1 to 4: the range of loudness",
    arguments: [
      ([-20, -30], 10), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15),
    ] as [([Double], Double)])
  func range(levels: [Double], expected: Double) throws {
    // The document allows for 1 LU.
    #expect(isNear(try meter(levels.map { ($0, 20) }).range, expected, 0.3))
  }

  @Test(
    "the weighting at 48 kHz is that of the recommendation, and that of others is near it",
    arguments: [
      8000, 11_025, 44_100, 48_000, 192_000,
    ])
  func weighting(rate: Int) throws {
    // The transfer function of tables 1 and 2, at a frequency.
    func gain(_ frequency: Double) -> Double {
      func power(_ b: [Double], _ a: [Double]) -> Double {
        func square(_ c: [Double]) -> Double {
          let angle = 2 * Double.pi * frequency / 48_000
          let real = c[0] + c[1] * cos(angle) + c[2] * cos(2 * angle)
          let imaginary = c[1] * sin(angle) + c[2] * sin(2 * angle)
          return real * real + imaginary * imaginary
        }
        return square(b) / square(a)
      }
      let shelf = power(
        [1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585])
      let highPass = power([1, -2, 1], [1, -1.99004745483398, 0.99007225036621])
      return 10 * log10(shelf * highPass)
    }
    for frequency in [50.0, 200, 997, 2000] {
      let measured = try meter([(-20, 1.5)], rate: rate, frequency: frequency).momentary
      // Two channels, each with half the square of its peak.
      let tolerance = rate == 48_000 ? 0.01 : rate > 40_000 ? 0.05 : frequency < Double(rate) / 8 ? 0.25 : 0.5
      #expect(isNear(measured, -20 - 0.691 + gain(frequency), tolerance), "at \(frequency) Hz")
    }
  }

  @Test("silence, too little sound and no sound have no loudness")
  func silence() throws {
    var meter = try meter([(-300, 4)])
    #expect(meter.integrated == nil && meter.range == nil)
    #expect(meter.samplePeaks.count == 2)
    meter = try self.meter([(-20, 0.39)])
    #expect(meter.integrated == nil && meter.momentary == nil && meter.shortTermMaximum == nil)
    let nothing = try LoudnessMeter(sampleRate: 48_000, layout: .mono)
    #expect(nothing.integrated == nil && nothing.truePeaks == [nil])
  }

  @Test("NaN and infinities count as silence, and blocks of any size give the same")
  func robust() throws {
    var noise = Noise(seed: 1)
    var samples = (0..<20_000).map { _ in Float.random(in: -1...1, using: &noise) }
    var quiet = samples
    for (index, value) in [Float.nan, .infinity, 3e38].enumerated() {
      (samples[1000 * index], quiet[1000 * index]) = (value, 0)
    }
    func meter() throws -> LoudnessMeter { try LoudnessMeter(sampleRate: 11_025, layout: .stereo) }
    var (one, other, silent) = (try meter(), try meter(), try meter())
    one.add(samples.span)
    silent.add(quiet.span)
    silent.finish()
    for start in stride(from: 0, to: 20_000, by: 250) { other.add(samples.span.extracting(start..<(start + 250))) }
    one.finish()
    other.finish()
    #expect(one.integrated != nil && one.integrated == silent.integrated && one.range == silent.range)
    #expect(isNear(one.integrated, try #require(other.integrated), 1e-9) && one.truePeaks == other.truePeaks)
    #expect(throws: ConversionError.self) { try one.add(PCMBuffer([0] as [Float], sampleRate: 11_025, layout: .mono)) }
    #expect(throws: ConversionError(.sampleRate(4000, LoudnessMeter.sampleRates))) {
      try LoudnessMeter(sampleRate: 4000, layout: .mono)
    }
  }

  @Test("a target stays one that makes sense, however it is set")
  func validTargets() {
    var target = LoudnessTarget(integrated: .nan, truePeak: .nan)
    #expect(target == LoudnessTarget(integrated: -16, truePeak: -1))
    (target.integrated, target.truePeak) = (400, 3)
    #expect(target.integrated == -5 && target.truePeak == 0)
    (target.integrated, target.truePeak) = (-.infinity, .nan)
    #expect(target.integrated == -70 && target.truePeak == -1)
  }
}
