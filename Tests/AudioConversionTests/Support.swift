import AudioConversion
import Foundation
import MediaCore
import TestSupport
import Testing

/// Samples of a sine: frame n is `amplitude * sin(2 pi frequency n / rate)`.
func tone(_ frequency: Double, rate: Int, frames: Int, amplitude: Double = 0.5) -> [Float] {
  (0..<frames).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}

/// Noise of full scale that is the same each time.
func noise(_ count: Int, seed: UInt64) -> [Float] {
  var generator = Noise(seed: seed)
  return (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
}

/// What a converter makes of interleaved samples, given in blocks of so many frames.
func converted(
  _ samples: [Float], _ converter: inout SampleRateConverter, blocks: [Int] = [.max]
) throws -> [Float] {
  var output: [Float] = []
  var (at, number) = (0, 0)
  while at < samples.count {
    let frames = min(blocks[number % blocks.count], samples.count)
    let end = min(at + frames * converter.channels, samples.count)
    try converter.convert(samples.span.extracting(at..<end), to: &output)
    (at, number) = (end, number + 1)
  }
  converter.finish(to: &output)
  return output
}

/// The same with a converter of its own.
func converted(
  _ samples: [Float], from: Int, to: Int, channels: Int = 1, quality: ConversionQuality = .best, blocks: [Int] = [.max]
) throws -> [Float] {
  var converter = try SampleRateConverter(from: from, to: to, channels: channels, quality: quality)
  return try converted(samples, &converter, blocks: blocks)
}

/// A sine in the middle of a sound, and what is there beside it.
struct FittedTone {
  /// Its amplitude.
  let amplitude: Double
  /// The root of the mean square of the rest.
  let rest: Double

  /// The sine of a frequency that fits the middle third of samples best: by least squares, so without a window.
  init(_ frequency: Double, rate: Int, in samples: [Float]) {
    let range = (samples.count / 3)..<(2 * samples.count / 3)
    let angles = range.map { 2 * Double.pi * frequency * Double($0) / Double(rate) }
    let (sines, cosines) = (angles.map(sin), angles.map(cos))
    let values = range.map { Double(samples[$0]) }
    func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    let (ss, cc, sc) = (product(sines, sines), product(cosines, cosines), product(sines, cosines))
    let (s, c) = (product(sines, values), product(cosines, values))
    let determinant = ss * cc - sc * sc
    let (a, b) = ((s * cc - c * sc) / determinant, (c * ss - s * sc) / determinant)
    amplitude = (a * a + b * b).squareRoot()
    let squares = zip(values, zip(sines, cosines)).map { value, basis in
      let error = value - a * basis.0 - b * basis.1
      return error * error
    }
    rest = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
  }
}

/// A ratio of amplitudes in dB.
func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-20)) }

/// The root of the mean square of the middle third of samples.
func middleLevel(_ samples: [Float]) -> Double {
  let middle = samples[(samples.count / 3)..<(2 * samples.count / 3)]
  return (middle.reduce(0) { $0 + Double($1) * Double($1) } / Double(middle.count)).squareRoot()
}

/// Two rates.
struct Rates: Sendable, CustomTestStringConvertible {
  let from: Int
  let to: Int
  init(_ from: Int, _ to: Int) { (self.from, self.to) = (from, to) }
  /// Half the lower rate.
  var nyquist: Double { Double(min(from, to)) / 2 }
  var testDescription: String { "\(from) -> \(to)" }

  static let common = [
    Rates(44_100, 48_000), Rates(48_000, 44_100), Rates(48_000, 16_000), Rates(96_000, 44_100), Rates(16_000, 48_000),
  ]
  /// Large ratios, and primes, whose phases are too many for a table.
  static let rare = [
    Rates(8000, 192_000), Rates(44_100, 8000), Rates(44_101, 47_999), Rates(192_000, 8000), Rates(11_025, 48_000),
    Rates(47_952, 48_000),
  ]
  static let falling = (common + rare).filter { $0.from > $0.to }
  static let rising = (common + rare).filter { $0.from < $0.to }
}
