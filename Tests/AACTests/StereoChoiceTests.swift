import Foundation
import TestSupport
import Testing

@testable import AAC

/// What `StereoChoice` estimates, beside what coding turns out to cost.
@Suite("AAC encoder: how a band of a pair is coded", .inTurn)
struct StereoChoiceTests {
  private static let price: Float = 1
  private static let bands = ScalefactorBands(frequencyIndex: 4, isShort: false)
  private static let layout = FrameLayout(long: bands, used: 40)

  /// A pair with something in common: a sound, louder in one channel, and what only the right one has beside it.
  ///
  /// - Parameters:
  ///   - level: the energy of the left one's lines, relative to noise that is worth a bit.
  ///   - gain: how much louder the right one is.
  ///   - other: the energy of what only the right one has, relative to that noise too.
  private func pair(level: Double, gain: Double, other: Double) -> (ChannelSpectrum, ChannelSpectrum) {
    let (left, right) = (ChannelSpectrum(), ChannelSpectrum())
    var noise = Noise(state: 5)
    func line() -> Double { (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -0.87...0.87, using: &noise) } }
    for index in 0..<1024 {
      let sound = level.squareRoot() * line()
      left.lines[index] = Float(sound)
      right.lines[index] = Float(gain * sound + other.squareRoot() * line())
    }
    for spectrum in [left, right] {
      let count = FrameLayout.largestBandCount
      spectrum.weights.all.update(repeating: Self.price, count: count)
      spectrum.holes.all.update(repeating: 6, count: count)
      spectrum.substitution.all.update(repeating: .infinity, count: count)
    }
    return (left, right)
  }

  /// What all bands of a pair cost in one way, or in the one that is chosen for each: the bits, and the noise and the
  /// loss that are there in the end.
  private func cost(of makePair: () -> (ChannelSpectrum, ChannelSpectrum), as coding: StereoChoice.Coding?) -> Double {
    let (left, right) = makePair()
    let (originalLeft, originalRight) = makePair()
    let choice = StereoChoice(left, right, price: Self.price)
    var total = 0.0
    for band in 0..<Self.layout.bandCount {
      let lines = Self.layout.offsets[band]..<Self.layout.offsets[band + 1]
      var costs = choice.measureAndSettleNoise(band, lines: lines)
      if let coding {
        if coding != .separate { costs.separate = .infinity }
        if coding != .sumAndDifference { costs.joint = .infinity }
        if coding != .intensity { costs.single = .infinity }
        if coding == .intensity, costs.single == .infinity { return .infinity }
      }
      let isSingle = costs.coding == .intensity
      choice.apply(costs, band, lines: lines)
      guard isSingle else { continue }
      // Source: ISO/IEC 14496-3, 4.6.8.2.3.
      let gain = (right.isOpposite[band] ? -1 : 1) * pow(0.5, 0.25 * Float(right.positions[band]))
      for line in lines {
        let (l, r) = (originalLeft.lines[line] - left.lines[line], originalRight.lines[line] - gain * left.lines[line])
        total += Double(l * l + r * r) * Double(Self.price)
      }
      // Bits of the position.
      total += 4
    }
    return total + cost(of: left) + cost(of: right)
  }

  /// Bits and noise of each band at its cheapest scalefactor, or of a band that is left out.
  private func cost(of spectrum: ChannelSpectrum) -> Double {
    spectrum.prepare(Self.layout)
    let candidates = ScalefactorCandidates(SearchLimits(.normal))
    candidates.measure(spectrum, Self.layout, price: Self.price, BandQuantiser(costs: .shared))
    return (0..<Self.layout.bandCount).reduce(0) { total, band in
      var best = spectrum.holes[band] * spectrum.energies[band] * spectrum.weights[band] / Self.price
      if candidates.highest[band] >= 0 {
        for scalefactor in Int(candidates.lowest[band])...Int(candidates.highest[band]) {
          let index = ScalefactorCandidates.index(band, scalefactor)
          best = min(best, candidates.bits[index] + candidates.noise[index] / Self.price)
        }
      }
      return total + Double(best)
    }
  }

  /// Guards against ignoring the second channel's noise, which made bands up to 12 % dearer.
  @Test(
    "what is chosen costs little more than the cheapest way",
    arguments: [16, 64, 256], [0.84, 0.5, 0.25, -0.7, 0])
  func cheapest(level: Double, gain: Double) {
    for other in [0.3, 1, 2, 16] {
      func makePair() -> (ChannelSpectrum, ChannelSpectrum) { pair(level: level, gain: gain, other: other) }
      let costs = [StereoChoice.Coding.separate, .sumAndDifference, .intensity].map { cost(of: makePair, as: $0) }
      let (chosen, cheapest) = (cost(of: makePair, as: nil), costs.min() ?? 0)
      #expect(chosen < 1.055 * cheapest, "\(other): \(chosen) of \(costs)")
    }
  }
}
