#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Intensity stereo: a band of a pair is coded as one channel, and the right channel is a multiple of it.
///
/// A single sound that stands neither in the middle nor wholly on one side is in both channels, louder in one: neither
/// coding them apart nor as sum and difference makes one of them small. Here a weighted mean is coded in place of left,
/// and for right only how much softer it is, in steps of 1.5 dB, and whether it is inverted. What the channels do not
/// have in common is lost, so this counts as noise.
///
/// Source: ISO/IEC 14496-3, 4.6.8.2.3.
struct IntensityStereo {
  /// How many steps of 1.5 dB left is louder than right.
  let position: Int32
  /// The factor that makes right of what is coded, below 0 if the channels are in opposite phase.
  let gain: Float

  /// Positions are sent as differences of 60 at most, so none is further from the middle than half of it.
  private static let mostSteps: Float = 30
  /// Channels with less in common are not worth a closer look.
  private static let leastLikeness: Float = 0.8

  /// The position of a band, if its channels have enough in common.
  init?(_ energies: PairEnergies) {
    guard abs(energies.likeness) > IntensityStereo.leastLikeness else { return nil }
    // The direction in which the points (left, right) of the lines spread most.
    let difference = energies.right - energies.left
    let root = (difference * difference + 4 * energies.product * energies.product).squareRoot()
    let slope = (difference + root) / (2 * energies.product)
    guard slope.isFinite, slope != 0 else { return nil }
    let limits = -IntensityStereo.mostSteps...IntensityStereo.mostSteps
    let steps = (-4 * log2f(abs(slope))).rounded().clamped(to: limits)
    (position, gain) = (Int32(steps), (slope < 0 ? -1 : 1) * exp2f(-0.25 * steps))
  }

  /// The line that is coded in place of those of both channels: the one that comes nearest to them.
  @inline(__always)
  func mean(_ left: SIMD4<Float>, _ right: SIMD4<Float>) -> SIMD4<Float> {
    (left + right * gain) * (1 / (1 + gain * gain))
  }
}

/// Energies of a band of two channels, and the sum of the products of their lines.
struct PairEnergies {
  private(set) var left: Float
  private(set) var right: Float
  private(set) var product: Float

  /// - Parameters:
  ///   - left: the lines of a channel, `count` vectors.
  ///   - right: as many of the other.
  init(
    _ left: UnsafeMutablePointer<SIMD4<Float>>, _ right: UnsafeMutablePointer<SIMD4<Float>>, count: Int
  ) {
    var (leftEnergy, rightEnergy, product) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    var vector = 0
    while vector < count {
      let (l, r) = unsafe (left[vector], right[vector])
      leftEnergy += l * l
      rightEnergy += r * r
      product += l * r
      vector &+= 1
    }
    (self.left, self.right, self.product) = (leftEnergy.total, rightEnergy.total, product.total)
  }

  /// The energies of half the sum and half the difference.
  var sum: Float { (left + right + 2 * product) / 4 }
  var difference: Float { (left + right - 2 * product) / 4 }

  /// The correlation of both channels, -1 to 1.
  var likeness: Float { product / (left.squareRoot() * right.squareRoot() + 1) }
}
