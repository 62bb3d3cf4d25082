import AudioConversion
import Foundation
import MediaCore
import TestSupport
import Testing

/// A conversion of the sampling rate as a stream: lengths, blocks, delay, edges.
@Suite(.inTurn) struct RateStreamTests {
  private static let all = Rates.common + Rates.rare + [Rates(7, 5), Rates(1, 3), Rates(3, 1), Rates(32_000, 22_050)]

  @Test("N frames become round(N * out / in), once for the whole stream", arguments: all)
  func length(rates: Rates) throws {
    var converter = try SampleRateConverter(from: rates.from, to: rates.to, channels: 1)
    var lengths = Noise(seed: UInt64(rates.from))
    for frames in [0, 1, 2, 3, 5, 160] + (0..<6).map({ _ in Int.random(in: 0...3000, using: &lengths) }) {
      converter.reset()
      let output = try converted([Float](repeating: 0.5, count: frames), &converter, blocks: [100])
      // In whole numbers: twice the product, plus the divisor for the half, divided by twice the divisor.
      #expect(output.count == (2 * frames * rates.to + rates.from) / (2 * rates.from), "\(frames) frames")
      #expect(converter.outputFrames(for: frames) == output.count)
    }
  }

  @Test("lengths are exact where the product does not fit in 64 bits, and end at the largest number")
  func longLengths() throws {
    let down = try SampleRateConverter(from: 768_000, to: 767_999, channels: 1)
    #expect(down.outputFrames(for: 768_000 << 40) == 767_999 << 40)
    #expect(down.outputFrames(for: -1) == 0)
    let up = try SampleRateConverter(from: 1, to: 768_000, channels: 1)
    #expect(up.outputFrames(for: .max) == .max)
    #expect(up.outputFrames(for: 1 << 40) == 768_000 << 40)
    for (from, to) in [(11_025, 11_026), (1, 2)] {
      let odd = try SampleRateConverter(from: from, to: to, channels: 1)
      #expect(odd.outputFrames(for: .max) == .max)
    }
  }

  @Test("blocks of any size give the same bits", arguments: all, [1, 2, 3])
  func blocks(rates: Rates, channels: Int) throws {
    let input = noise(900 * channels, seed: 7)
    let quality: ConversionQuality = channels == 3 ? .live : .best
    func output(_ blocks: [Int]) throws -> [Float] {
      try converted(input, from: rates.from, to: rates.to, channels: channels, quality: quality, blocks: blocks)
    }
    let whole = try output([.max])
    #expect(try output([1, 0, 2, 300, 13]) == whole)
    #expect(try output([512]) == whole)
  }

  @Test("channels do not touch one another, however many there are", arguments: [2, 3, 6])
  func channels(count: Int) throws {
    let planar = (0..<count).map { noise(1500, seed: UInt64($0)) }
    let input = (0..<1500).flatMap { frame in planar.map { $0[frame] } }
    let output = try converted(input, from: 44_100, to: 48_000, channels: count)
    for channel in 0..<count {
      let alone = try converted(planar[channel], from: 44_100, to: 48_000)
      let together = stride(from: channel, to: output.count, by: count).map { output[$0] }
      // Additions may be in another order.
      #expect(alone.count == together.count && zip(alone, together).allSatisfy { abs($0 - $1) < 1e-6 })
    }
  }

  @Test("an impulse stays where it is, and the response to it is symmetric", arguments: all)
  func impulse(rates: Rates) throws {
    var (step, other) = (rates.from, rates.to)
    while other != 0 { (step, other) = (other, step % other) }
    // Of the frames that exist at both rates, one far enough from the beginning.
    let (down, up) = (rates.from / step, rates.to / step)
    let times = (max(1, 300 / min(down, up)))
    try #require(times * max(down, up) < 200_000)
    var input = [Float](repeating: 0, count: 2 * times * down)
    input[times * down] = 1
    let output = try converted(input, from: rates.from, to: rates.to)
    let center = times * up
    let loudest = try #require(output.indices.max { abs(output[$0]) < abs(output[$1]) })
    #expect(loudest == center)
    let reach = min(center, output.count - 1 - center, 500)
    #expect((0...reach).allSatisfy { abs(output[center - $0] - output[center + $0]) < 1e-6 })
  }

  @Test("equal rates pass through bit for bit, whatever the samples are")
  func sameRate() throws {
    let input: [Float] = [0, -0.0, 1, -1, .infinity, .nan, .leastNonzeroMagnitude, 3e38, 0.1, 0.2]
    let output = try converted(input, from: 44_100, to: 44_100, channels: 2, blocks: [1, 3])
    #expect(output.map(\.bitPattern) == input.map(\.bitPattern))
  }

  @Test("what is no number counts as silence, and spoils nothing", arguments: [Float.nan, .infinity, -.infinity, 3e38])
  func notNumbers(value: Float) throws {
    var input = noise(3000, seed: 3)
    input[1000] = 0
    let silent = try converted(input, from: 44_100, to: 48_000)
    input[1000] = value
    #expect(try converted(input, from: 44_100, to: 48_000) == silent)
    #expect(try converted([Float](repeating: value, count: 500), from: 8000, to: 44_100).allSatisfy { $0 == 0 })
    #expect(try converted([Float](repeating: 1e30, count: 500), from: 8000, to: 44_100).allSatisfy(\.isFinite))
  }

  @Test("a converter that was reset is as good as new, and a copy goes on by itself")
  func reset() throws {
    let input = noise(2000, seed: 5)
    var converter = try SampleRateConverter(from: 48_000, to: 8000, channels: 1)
    let once = try converted(input, &converter)
    converter.reset()
    var partly: [Float] = []
    try converter.convert(noise(777, seed: 6).span, to: &partly)
    var copy = converter
    converter.reset()
    #expect(try converted(input, &converter) == once)
    copy.finish(to: &partly)
    #expect(partly == (try converted(noise(777, seed: 6), from: 48_000, to: 8000)))
  }

  @Test("after the end there is an error, and no second end")
  func finished() throws {
    var converter = try SampleRateConverter(from: 48_000, to: 16_000, channels: 1)
    var output = try converted([0.5, 0.5, 0.5], &converter)
    #expect(output.count == 1)
    converter.finish(to: &output)
    #expect(output.count == 1)
    #expect(throws: ConversionError(.finished)) { try converter.convert([0.5].span, to: &output) }
  }

  @Test("an output comes as soon as the input that it needs is there")
  func lookahead() throws {
    for rates in RateStreamTests.all {
      var converter = try SampleRateConverter(from: rates.from, to: rates.to, channels: 1)
      var output: [Float] = []
      try converter.convert([Float](repeating: 0, count: converter.lookahead + 1).span, to: &output)
      #expect(!output.isEmpty, "\(rates.testDescription)")
      converter.reset()
      output = []
      try converter.convert([Float](repeating: 0, count: converter.lookahead / 2).span, to: &output)
      #expect(output.isEmpty, "\(rates.testDescription)")
    }
    #expect(try SampleRateConverter(from: 44_100, to: 48_000, channels: 2, quality: .live).lookahead < 50)
  }

  @Test("memory and time stay bounded at the most extreme ratios")
  func extremes() throws {
    #expect(try converted([1], from: 1, to: 96_000).count == 96_000)
    #expect(try converted([Float](repeating: 1, count: 2000), from: 768_000, to: 1).isEmpty)
    #expect(try converted([Float](repeating: 1, count: 2000), from: 767_999, to: 1).isEmpty)
    #expect(try converted([Float](repeating: 1, count: 200), from: 767_999, to: 768_000).count == 200)
  }

  @Test("rates and channels beyond all sense are refused by name")
  func refused() {
    let rates = SampleRateConverter.sampleRates
    for rate in [0, -1, Int.min, 768_001, Int.max] {
      #expect(throws: ConversionError(.sampleRate(rate, rates))) {
        try SampleRateConverter(from: rate, to: 48_000, channels: 1)
      }
      #expect(throws: ConversionError(.sampleRate(rate, rates))) {
        try SampleRateConverter(from: 48_000, to: rate, channels: 1)
      }
    }
    for count in [0, -1, 65, Int.max] {
      #expect(throws: ConversionError(.channels(count, SampleRateConverter.channelCounts))) {
        try SampleRateConverter(from: 8000, to: 16_000, channels: count)
      }
    }
    let error = ConversionError(.sampleRate(0, rates))
    #expect(error.description == "0 Hz cannot be converted; rates from 1 to 768000 Hz can")
  }
}
