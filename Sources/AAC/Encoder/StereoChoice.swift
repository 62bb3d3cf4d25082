#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Decides, band by band, whether a pair of channels is coded as it is, as its sum and difference, or as one.
///
/// The noise of a sum goes to both channels, and so counts with the weights of both. Whichever costs least wins: its
/// bits, and those that its noise is worth. Two channels have twice the noise of one.
struct StereoChoice {
  /// How a band is coded.
  enum Coding { case separate, sumAndDifference, intensity }

  /// Channels whose correlation is below this may each have noise of its own.
  private static let unlike: Float = 0.4
  /// The part of the softer channel's energy from which on a sum or a difference that is left out is a hole in that
  /// channel.
  private static let conspicuous: Float = 0.1
  /// Bits of a position, which is near that of the band before.
  private static let positionBits: Float = 4

  private let left: ChannelSpectrum
  private let right: ChannelSpectrum
  /// The weighted noise that a bit is worth.
  private let price: Float
  /// The weighted noise of a line at this price: divided by the line's weight, it is the noise's energy.
  private let acceptable: Float

  /// - Parameters:
  ///   - left: the first channel, which becomes the sum.
  ///   - right: the second one, which becomes the difference.
  ///   - price: the weighted noise that a bit is worth.
  init(_ left: ChannelSpectrum, _ right: ChannelSpectrum, price: Float) {
    (self.left, self.right, self.price) = (left, right, price)
    acceptable = PerceptualEntropy.noise * price
  }

  /// The approximate cost of a band in each way, in bits.
  struct Costs {
    var separate: Float
    var joint: Float
    /// As one channel, with what is lost; infinite where that is out of the question.
    var single: Float
    fileprivate let energies: PairEnergies
    fileprivate let intensity: IntensityStereo?

    var coding: Coding {
      if single < min(separate, joint) { return .intensity }
      return joint < separate ? .sumAndDifference : .separate
    }
  }

  /// Measures what a band costs in each way, and rules out noise substitution where the channels' noise is common to
  /// both.
  func measureAndSettleNoise(_ band: Int, lines: Range<Int>) -> Costs {
    let (from, count) = (lines.lowerBound, lines.count)
    let leftLines = unsafe left.lines.from(from).vectors(count: count)
    let rightLines = unsafe right.lines.from(from).vectors(count: count)
    let energies = unsafe PairEnergies(leftLines, rightLines, count: count / 4)
    var (separate, joint) = cost(band, from, count)
    let isNoise = left.substitution[band].isFinite && right.substitution[band].isFinite
    if isNoise, abs(energies.likeness) < StereoChoice.unlike {
      joint = .infinity
    } else if joint < separate || isNoise {
      // Noise that both channels share is coded. The syntax has noise of the sum too, but not all decoders: with some,
      // what is in the middle would come from everywhere.
      forbidNoise(band)
    }
    let intensity = IntensityStereo(energies)
    let single = intensity.map { cost($0, band, from, count) } ?? .infinity
    return Costs(separate: separate, joint: joint, single: single, energies: energies, intensity: intensity)
  }

  /// Counts the flags that say which bands are sum and difference, and rules out what is not worth them: they are not
  /// sent where all bands are, or none.
  static func countFlags(_ costs: inout [Costs]) {
    var (free, none, all) = (Float(costs.count), Float(0), Float(0))
    for cost in costs {
      free += min(cost.separate, cost.joint, cost.single)
      none += min(cost.separate, cost.single)
      all += cost.joint
    }
    guard free > min(none, all) else { return }
    for band in costs.indices {
      if none <= all {
        costs[band].joint = .infinity
      } else {
        (costs[band].separate, costs[band].single) = (.infinity, .infinity)
      }
    }
  }

  /// Replaces both channels in a band by what is coded.
  func apply(_ costs: Costs, _ band: Int, lines: Range<Int>) {
    let (from, count) = (lines.lowerBound, lines.count)
    let leftLines = unsafe left.lines.from(from).vectors(count: count)
    let rightLines = unsafe right.lines.from(from).vectors(count: count)
    let (x, y) = (left.weights[band], right.weights[band])
    right.positions[band] = ChannelSpectrum.noPosition
    switch costs.coding {
    case .separate: return
    case .sumAndDifference:
      (left.weights[band], right.weights[band]) = (x + y, x + y)
      weighHoles(band, costs.energies)
      for vector in 0..<(count / 4) {
        let (l, r) = unsafe (leftLines[vector], rightLines[vector])
        unsafe leftLines[vector] = (l + r) * 0.5
        unsafe rightLines[vector] = (l - r) * 0.5
      }
    case .intensity:
      guard let intensity = costs.intensity else { return }
      forbidNoise(band)
      for vector in 0..<(count / 4) {
        unsafe leftLines[vector] = intensity.mean(leftLines[vector], rightLines[vector])
        unsafe rightLines[vector] = SIMD4()
      }
      left.weights[band] = x + y * intensity.gain * intensity.gain
      right.positions[band] = intensity.position
      right.isOpposite[band] = intensity.gain < 0
    }
  }

  /// If the softer of sum and difference is left out, both channels still sound: the softer it is, the smaller the
  /// hole. It must be much softer, as the place of a sound depends on it.
  private func weighHoles(_ band: Int, _ energies: PairEnergies) {
    let conspicuous = StereoChoice.conspicuous * min(energies.left, energies.right) + 1
    left.holes[band] = weight(ofHole: left.holes[band], energies.sum / conspicuous)
    right.holes[band] = weight(ofHole: right.holes[band], energies.difference / conspicuous)
  }

  /// The weight of a hole of which a part counts; the rest has that of noise, 1.
  private func weight(ofHole hole: Float, _ part: Float) -> Float { 1 + (hole - 1) * part.clamped(to: 0...1) }

  private func forbidNoise(_ band: Int) {
    left.substitution[band] = .infinity
    right.substitution[band] = .infinity
  }

  /// The cost of a band as it is, and as sum and difference.
  private func cost(_ band: Int, _ from: Int, _ count: Int) -> (separate: Float, joint: Float) {
    let scale = 1 / acceptable
    let (x, y) = (SIMD4(repeating: left.weights[band] * scale), SIMD4(repeating: right.weights[band] * scale))
    let both = x + y
    var separate = PerceptualEntropy()
    var joint = PerceptualEntropy()
    let leftLines = unsafe left.lines.from(from).vectors(count: count)
    let rightLines = unsafe right.lines.from(from).vectors(count: count)
    var vector = 0
    while vector < count / 4 {
      let (l, r) = unsafe (leftLines[vector], rightLines[vector])
      let (m, s) = ((l + r) * 0.5, (l - r) * 0.5)
      separate.add(l * l * x, r * r * y)
      joint.add(m * m * both, s * s * both)
      vector &+= 1
    }
    separate.flush()
    joint.flush()
    return (separate.cost, joint.cost)
  }

  /// The cost of a band as one channel, and of what is lost with it.
  private func cost(_ intensity: IntensityStereo, _ band: Int, _ from: Int, _ count: Int) -> Float {
    let (x, y) = (left.weights[band], right.weights[band])
    let weight = SIMD4(repeating: (x + y * intensity.gain * intensity.gain) / acceptable)
    var entropy = PerceptualEntropy()
    var (lostLeft, lostRight) = (SIMD4<Float>(), SIMD4<Float>())
    let leftLines = unsafe left.lines.from(from).vectors(count: count)
    let rightLines = unsafe right.lines.from(from).vectors(count: count)
    var vector = 0
    while vector < count / 4 {
      let (l, r) = unsafe (leftLines[vector], rightLines[vector])
      let mean = intensity.mean(l, r)
      let (a, b) = (l - mean, r - mean * intensity.gain)
      entropy.add(mean * mean * weight, SIMD4())
      lostLeft += a * a
      lostRight += b * b
      vector &+= 1
    }
    entropy.flush()
    return entropy.cost + (lostLeft.total * x + lostRight.total * y) / price + StereoChoice.positionBits
  }
}
