#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Decides, band by band, whether a pair of channels is coded as it is or as its sum and difference.
///
/// The noise of a sum goes to both channels, and so counts with the weights of both. Whichever needs fewer bits for noise
/// of equal weight wins.
struct StereoChoice {
  /// Channels whose correlation is below this may each have noise of its own.
  private static let unlike: Float = 0.4

  private let left: ChannelSpectrum
  private let right: ChannelSpectrum
  /// The energy that a line's acceptable noise has, divided by the line's weight.
  private let acceptable: Float

  /// - Parameters:
  ///   - left: the first channel, which becomes the sum.
  ///   - right: the second one, which becomes the difference.
  ///   - price: the weighted noise that a bit is worth.
  init(_ left: ChannelSpectrum, _ right: ChannelSpectrum, price: Float) {
    (self.left, self.right) = (left, right)
    acceptable = 0.72 * price
  }

  /// Replaces both channels by sum and difference in a band where that is better.
  ///
  /// - Parameter isCheaper: whether it takes fewer bits.
  /// - Returns: whether it was.
  func choose(_ band: Int, lines: Range<Int>, isCheaper: Bool) -> Bool {
    let (from, count) = (lines.lowerBound, lines.count)
    var isJoint = isCheaper
    let isNoise = left.substitution[band].isFinite && right.substitution[band].isFinite
    if isNoise, abs(likeness(from, count)) < StereoChoice.unlike {
      isJoint = false
    } else if isJoint || isNoise {
      // Noise that both channels share is coded. The syntax has noise of the sum too, but not all decoders: with some,
      // what is in the middle would come from everywhere.
      forbidNoise(band)
    }
    guard isJoint else { return false }
    let weight = left.weights[band] + right.weights[band]
    (left.weights[band], right.weights[band]) = (weight, weight)
    let leftLines = unsafe left.lines.from(from).vectors(count: count)
    let rightLines = unsafe right.lines.from(from).vectors(count: count)
    for vector in 0..<(count / 4) {
      let (l, r) = unsafe (leftLines[vector], rightLines[vector])
      unsafe leftLines[vector] = (l + r) * 0.5
      unsafe rightLines[vector] = (l - r) * 0.5
    }
    return true
  }

  /// Adds the flags of a frame to the differences of its bands: they are not sent where all bands are the same.
  static func countFlags(_ differences: inout [Float]) {
    let all = differences.reduce(0, +)
    let mixed = differences.reduce(Float(differences.count)) { $0 + min($1, 0) }
    guard mixed > min(all, 0) else { return }
    for band in differences.indices { differences[band] = all }
  }

  private func forbidNoise(_ band: Int) {
    left.substitution[band] = .infinity
    right.substitution[band] = .infinity
  }

  /// Bits, about, that a band takes more as sum and difference than as it is.
  func difference(_ band: Int, lines: Range<Int>) -> Float {
    let (from, count) = (lines.lowerBound, lines.count)
    let scale = 1 / acceptable
    let (x, y) = (SIMD4(repeating: left.weights[band] * scale), SIMD4(repeating: right.weights[band] * scale))
    let both = x + y
    var separate = Demand()
    var joint = Demand()
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
    return joint.bits - separate.bits
  }

  /// The correlation of both channels, -1 to 1.
  private func likeness(_ from: Int, _ count: Int) -> Float {
    var (cross, leftEnergy, rightEnergy) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    let leftLines = unsafe left.lines.from(from).vectors(count: count)
    let rightLines = unsafe right.lines.from(from).vectors(count: count)
    for vector in 0..<(count / 4) {
      let (l, r) = unsafe (leftLines[vector], rightLines[vector])
      cross += l * r
      leftEnergy += l * l
      rightEnergy += r * r
    }
    return cross.total / (leftEnergy.total.squareRoot() * rightEnergy.total.squareRoot() + 1)
  }
}

/// Bits needed for lines of two channels: half the binary logarithm of their energy over that of acceptable noise.
///
/// Logarithms of products instead of sums of logarithms: four factors are multiplied before one is taken.
struct Demand {
  private var product = SIMD4<Float>(repeating: 1)
  private(set) var bits: Float = 0

  @inline(__always)
  mutating func add(_ first: SIMD4<Float>, _ second: SIMD4<Float>) {
    product *= (1 + first) * (1 + second)
    // A few more would exceed the range of a float: the largest factor is some 2^60.
    let top = product.largest
    if top > 1e12 || !(top < 1e30) { flush() }
  }

  mutating func flush() {
    for lane in 0..<4 { bits += 0.5 * log2f(min(product[lane], .greatestFiniteMagnitude)) }
    product = SIMD4(repeating: 1)
  }
}
