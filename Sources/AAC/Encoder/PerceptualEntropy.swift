#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The cost of lines of two channels: the bits they need (perceptual entropy: half the binary logarithm of one plus
/// their energy over that of their noise), and the bits that their noise is worth.
///
/// One logarithm of the product of many factors, instead of one of each.
struct PerceptualEntropy {
  /// The noise in a line at the best trade, in bits at the price of the moment: `1 / (2 ln 2)`, where the
  /// sum of the noise and of the bits that a line then needs, `noise - log2(noise) / 2` and a constant, is least.
  static let noise: Float = 0.72

  private var product = SIMD4<Float>(repeating: 1)
  /// Energies of the noise, relative to that: all of a line's energy where it is less, as the line is not coded then.
  private var energies = SIMD4<Float>()
  private(set) var cost: Float = 0

  /// Adds lines, whose energies are relative to that of their noise.
  @inline(__always)
  mutating func add(_ first: SIMD4<Float>, _ second: SIMD4<Float>) {
    energies += first.replacing(with: 1, where: first .> 1) + second.replacing(with: 1, where: second .> 1)
    product *= (1 + first) * (1 + second)
    // A few more would exceed the range of a float: the largest factor is some 2^60.
    let top = product.largest
    if top > 1e12 || !(top < 1e30) { flush() }
  }

  /// Counts what was added: with one logarithm, unless the product of all factors exceeds the range of a float.
  mutating func flush() {
    let all = product.x * product.y * (product.z * product.w)
    if all <= .greatestFiniteMagnitude {
      cost += 0.5 * log2f(all)
    } else {
      for lane in 0..<4 { cost += 0.5 * log2f(min(product[lane], .greatestFiniteMagnitude)) }
    }
    cost += PerceptualEntropy.noise * energies.total
    (product, energies) = (SIMD4(repeating: 1), SIMD4())
  }
}
