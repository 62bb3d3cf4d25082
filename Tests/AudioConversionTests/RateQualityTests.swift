import AudioConversion
import Foundation
import TestSupport
import Testing

/// Tones through a conversion of the sampling rate, compared with the formula of a sine.
@Suite(.inTurn) struct RateQualityTests {
  /// Frames of input that make enough output to look at, at any ratio.
  private func frames(_ rates: Rates) -> Int { max(1500, 1500 * rates.from / rates.to) }

  @Test("a tone at 997 Hz is the tone at the other rate, to 120 dB", arguments: Rates.common + Rates.rare)
  func snr(rates: Rates) throws {
    let output = try converted(tone(997, rate: rates.from, frames: frames(rates)), from: rates.from, to: rates.to)
    let expected = (0..<output.count).map { 0.5 * sin(2 * .pi * 997 * Double($0) / Double(rates.to)) }
    let errors = zip(output, expected).map { Float(Double($0) - $1) }
    let signal = middleLevel(expected.map { Float($0) })
    #expect(decibels(signal / middleLevel(errors)) >= 120)
  }

  @Test("the response is flat within 0.01 dB up to 0.92 of Nyquist", arguments: Rates.common + Rates.rare)
  func ripple(rates: Rates) throws {
    for part in [0.05, 0.4, 0.8, 0.92] {
      let frequency = part * rates.nyquist
      let input = tone(frequency, rate: rates.from, frames: frames(rates))
      let output = try converted(input, from: rates.from, to: rates.to)
      let fitted = FittedTone(frequency, rate: rates.to, in: output)
      #expect(abs(decibels(fitted.amplitude / 0.5)) <= 0.01, "at \(part)")
      #expect(decibels(fitted.rest * 2.0.squareRoot() / 0.5) <= -120, "beside \(part)")
    }
  }

  @Test("what is beyond Nyquist comes out 120 dB softer", arguments: Rates.falling)
  func aliases(rates: Rates) throws {
    let highest = Double(rates.from) / 2
    for part in [0, 0.002, 0.01, 0.05, 0.2, 0.5, 0.8, 0.99] {
      let frequency = rates.nyquist * 1.0001 + part * (highest - rates.nyquist)
      guard frequency < highest else { continue }
      let input = tone(frequency, rate: rates.from, frames: frames(rates))
      let output = try converted(input, from: rates.from, to: rates.to)
      #expect(decibels(middleLevel(output) * 2.0.squareRoot() / 0.5) <= -120, "at \(frequency) Hz")
    }
  }

  @Test("images of what is below Nyquist are 120 dB softer", arguments: Rates.rising)
  func images(rates: Rates) throws {
    for part in [0.02, 0.5, 0.95, 0.999] {
      let frequency = part * rates.nyquist
      let input = tone(frequency, rate: rates.from, frames: frames(rates))
      let output = try converted(input, from: rates.from, to: rates.to)
      let fitted = FittedTone(frequency, rate: rates.to, in: output)
      #expect(decibels(fitted.rest * 2.0.squareRoot() / 0.5) <= -120, "of \(part)")
    }
  }

  @Test("the live grade keeps what it promises: -96 dB, 0.05 dB up to 0.85", arguments: Rates.common)
  func live(rates: Rates) throws {
    for part in [0.05, 0.5, 0.8, 0.85, 0.95, 0.999, 1.001, 1.1, 1.5, 1.9] {
      let frequency = part * rates.nyquist
      guard frequency < Double(rates.from) / 2 else { continue }
      let input = tone(frequency, rate: rates.from, frames: frames(rates))
      let output = try converted(input, from: rates.from, to: rates.to, quality: .live)
      if part > 1 {
        #expect(decibels(middleLevel(output) * 2.0.squareRoot() / 0.5) <= -96, "at \(part)")
        continue
      }
      let fitted = FittedTone(frequency, rate: rates.to, in: output)
      #expect(decibels(fitted.rest * 2.0.squareRoot() / 0.5) <= -96, "beside \(part)")
      if part <= 0.85 { #expect(abs(decibels(fitted.amplitude / 0.5)) <= 0.05, "at \(part)") }
    }
  }

  @Test("a constant stays what it is", arguments: Rates.common + Rates.rare)
  func constant(rates: Rates) throws {
    let output = try converted([Float](repeating: 0.25, count: frames(rates)), from: rates.from, to: rates.to)
    let middle = output[(output.count / 3)..<(2 * output.count / 3)]
    #expect(middle.allSatisfy { abs($0 - 0.25) < 1e-6 })
  }
}
