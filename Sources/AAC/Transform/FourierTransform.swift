#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A discrete Fourier transform: `X[k] = sum of x[n] exp(-2 pi i n k / count)`, the order of both natural.
///
/// Frames of 1024 and 128 need 512 and 64 points: passes of eight points each, four transforms at a time. With `n = 64
/// a + 8 b + c` and `k = d + 8 e + 64 f`, the passes sum over a, b and c in turn; n becomes k digit by digit, and only
/// the last pass moves values to other positions. Frames of 960 and 120, which are rare, need 480 and 60 points and
/// take passes of any small number of points, one value at a time.
///
/// Real and imaginary parts are in separate memory, so that vectors load without reordering.
final class FourierTransform {
  /// The input, which is overwritten.
  let real: AlignedMemory<Float>
  let imaginary: AlignedMemory<Float>
  /// The output.
  let outputReal: AlignedMemory<Float>
  let outputImaginary: AlignedMemory<Float>
  private let count: Int
  /// Points of each pass, unless all have eight.
  private let radices: [Int]
  /// Seven complex factors for each vector, after the pass over all values and after that over 64 of them.
  private let outerFactors: AlignedMemory<SIMD4<Float>>
  private let innerFactors: AlignedMemory<SIMD4<Float>>
  /// `exp(-2 pi i n / count)`, for passes of any number of points.
  private let circle: [SIMD2<Float>]

  /// A transform of 512 or 64 points, or any product of 2, 3, 4 and 5.
  init(count: Int) {
    self.count = count
    real = AlignedMemory(count)
    imaginary = AlignedMemory(count)
    outputReal = AlignedMemory(count)
    outputImaginary = AlignedMemory(count)
    let isVectorised = count == 512 || count == 64
    radices = isVectorised ? [] : FourierTransform.radices(of: count)
    outerFactors = AlignedMemory(count == 512 ? FourierTransform.factors(of: 512) : [])
    innerFactors = AlignedMemory(isVectorised ? FourierTransform.factors(of: 64) : [])
    circle = isVectorised ? [] : (0..<count).map { SIMD2<Float>(FourierTransform.root($0, of: count)) }
  }

  /// Transforms the content of `real` and `imaginary`.
  ///
  /// The passes touch every value of the four memories once, and these have `count` each: that is what their loops'
  /// bounds multiply to.
  func transform() {
    switch count {
    case 512:
      unsafe pass(real.vectors, imaginary.vectors, vectors: 16, factors: outerFactors.start)
      for row in 0..<8 {
        unsafe pass(real.vectors + 16 * row, imaginary.vectors + 16 * row, vectors: 2, factors: innerFactors.start)
      }
      for block in 0..<8 { lastPass(block: block, blocks: 8) }
    case 64:
      unsafe pass(real.vectors, imaginary.vectors, vectors: 2, factors: innerFactors.start)
      lastPass(block: 0, blocks: 1)
    default: transformPlainly()
    }
  }

  // MARK: Passes of eight points

  /// Transforms over the highest digit, in place: eight rows of this many vectors.
  @inline(__always)
  private func pass(
    _ real: UnsafeMutablePointer<SIMD4<Float>>, _ imaginary: UnsafeMutablePointer<SIMD4<Float>>, vectors: Int,
    factors: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    for index in 0..<vectors {
      var points = unsafe EightPointTransform(real + index, imaginary + index, stride: vectors)
      points.transform()
      unsafe points.rotate(factors + 14 * index)
      unsafe points.store(real + index, imaginary + index, stride: vectors)
    }
  }

  /// Transforms over the lowest digit: eight adjacent values, in four rows at a time.
  @inline(__always)
  private func lastPass(block: Int, blocks: Int) {
    for half in 0..<2 {
      let from = 2 * (4 * half * blocks + block)
      var points = unsafe EightPointTransform(
        transposing: real.vectors + from, imaginary.vectors + from, stride: 2 * blocks)
      points.transform()
      let to = 2 * block + half
      unsafe points.store(outputReal.vectors + to, outputImaginary.vectors + to, stride: 2 * blocks)
    }
  }

  // MARK: Passes of any number of points

  private func transformPlainly() {
    var (from, to) = ((real, imaginary), (outputReal, outputImaginary))
    var (length, stride) = (count, 1)
    for radix in radices {
      let groups = length / radix
      for group in 0..<groups {
        for lane in 0..<stride {
          for output in 0..<radix {
            var sum = SIMD2<Float>.zero
            for input in 0..<radix {
              let index = lane + stride * (group + groups * input)
              // The factor of the small transform and that of the pass after it, in one.
              let turn = (output * input * (count / radix) + group * output * stride) % count
              sum += FourierTransform.product(SIMD2(from.0[index], from.1[index]), circle[turn])
            }
            let index = lane + stride * (radix * group + output)
            (to.0[index], to.1[index]) = (sum.x, sum.y)
          }
        }
      }
      swap(&from, &to)
      length = groups
      stride *= radix
    }
    if from.0 !== outputReal {
      outputReal.all.update(from: from.0.all, count: count)
      outputImaginary.all.update(from: from.1.all, count: count)
    }
  }

  private static func product(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> SIMD2<Float> {
    SIMD2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
  }

  // MARK: Factors

  private static func root(_ turn: Int, of count: Int) -> SIMD2<Double> {
    let angle = -2 * Double.pi * Double(turn % count) / Double(count)
    return SIMD2(cos(angle), sin(angle))
  }

  /// `exp(-2 pi i index output / count)` for outputs 1 to 7 of four positions, real parts, then imaginary parts.
  private static func factors(of count: Int) -> [SIMD4<Float>] {
    stride(from: 0, to: count / 8, by: 4).flatMap { index in
      (1..<8).flatMap { output in
        let roots = (0..<4).map { SIMD2<Float>(root((index + $0) * output, of: count)) }
        return [SIMD4(roots.map(\.x)), SIMD4(roots.map(\.y))]
      }
    }
  }

  private static func radices(of count: Int) -> [Int] {
    var (rest, factors): (Int, [Int]) = (count, [])
    for radix in [4, 2, 3, 5] {
      while rest % radix == 0 {
        factors.append(radix)
        rest /= radix
      }
    }
    return factors
  }
}
