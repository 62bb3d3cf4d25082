#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A discrete Fourier transform: `X[k] = sum of x[n] exp(-2 pi i n k / count)`, the order of both natural.
///
/// After Stockham: every pass reads from one place and writes to another, in an order that leaves nothing to be sorted
/// at the end. Frames of 1024 and 128 need 512 and 64 points, which are passes of eight points each, in vectors; those
/// of 960 and 120, which are rare, need 480 and 60 and take passes of any small number of points, one value at a time.
///
/// Real and imaginary parts lie in memory of their own, so that vectors load without sorting.
final class FourierTransform {
  /// Real and imaginary parts of the values: input, and after `transform()` the output.
  let real: AlignedMemory<Float>
  let imaginary: AlignedMemory<Float>
  private let otherReal: AlignedMemory<Float>
  private let otherImaginary: AlignedMemory<Float>
  private let count: Int
  /// Points of each pass.
  private let radices: [Int]
  /// First pass of eight points: seven complex factors for each vector.
  private let firstFactors: AlignedMemory<SIMD4<Float>>
  /// Second pass of three: seven complex factors for each of eight places, and one float to pad.
  private let secondFactors: AlignedMemory<Float>
  /// `exp(-2 pi i n / count)`, for passes of any number of points.
  private let circle: [SIMD2<Float>]

  /// A transform of 512 or 64 points, or any product of 2, 3, 4 and 5.
  init(count: Int) {
    self.count = count
    real = AlignedMemory(count)
    imaginary = AlignedMemory(count)
    otherReal = AlignedMemory(count)
    otherImaginary = AlignedMemory(count)
    circle = (0..<count).map { SIMD2<Float>(FourierTransform.root($0, of: count)) }
    let isVectorised = count == 512 || count == 64
    radices = isVectorised ? [] : FourierTransform.factors(of: count)
    firstFactors = AlignedMemory(isVectorised ? FourierTransform.firstFactors(count) : [])
    secondFactors = AlignedMemory(count == 512 ? FourierTransform.secondFactors() : [])
  }

  /// Transforms what is in `real` and `imaginary`.
  ///
  /// The passes touch every value of the four memories once, and these have `count` each: that is what their loops'
  /// bounds multiply to.
  func transform() {
    switch count {
    case 512:
      firstPass()
      secondPass()
      lastPass(of: 512)
    case 64:
      firstPass()
      // The values are in the other memory now, where the last pass wants them in this one.
      lastPass(from: otherReal, otherImaginary, of: 64)
    default: transformPlainly()
    }
  }

  // MARK: Passes of eight points

  private func firstPass() {
    let vectors = count / 32
    var factors = firstFactors.start
    for place in 0..<vectors {
      var points = EightPointTransform(real.vectors + place, imaginary.vectors + place, stride: vectors)
      points.transform()
      points.rotate { factors[$0] }
      points.storeTransposed(otherReal.vectors + 8 * place, otherImaginary.vectors + 8 * place)
      factors += 14
    }
  }

  private func secondPass() {
    var factors = secondFactors.start
    for place in 0..<8 {
      for half in 0..<2 {
        let (from, to) = (2 * place + half, 16 * place + half)
        var points = EightPointTransform(otherReal.vectors + from, otherImaginary.vectors + from, stride: 16)
        points.transform()
        points.rotate { SIMD4(repeating: factors[$0]) }
        points.store(real.vectors + to, imaginary.vectors + to, stride: 2)
      }
      factors += 14
    }
  }

  private func lastPass(of count: Int) {
    lastPass(from: real, imaginary, of: count)
  }

  private func lastPass(from real: AlignedMemory<Float>, _ imaginary: AlignedMemory<Float>, of count: Int) {
    let vectors = count / 32
    for place in 0..<vectors {
      var points = EightPointTransform(real.vectors + place, imaginary.vectors + place, stride: vectors)
      points.transform()
      points.store(self.real.vectors + place, self.imaginary.vectors + place, stride: vectors)
    }
  }

  // MARK: Passes of any number of points

  private func transformPlainly() {
    var (from, to) = ((real.start, imaginary.start), (otherReal.start, otherImaginary.start))
    var (length, stride) = (count, 1)
    for radix in radices {
      let groups = length / radix
      for group in 0..<groups {
        for lane in 0..<stride {
          for output in 0..<radix {
            var sum = SIMD2<Float>.zero
            for input in 0..<radix {
              let place = lane + stride * (group + groups * input)
              // The factor of the small transform and that of the pass behind it, in one.
              let turn = (output * input * (count / radix) + group * output * stride) % count
              sum += FourierTransform.product(SIMD2(from.0[place], from.1[place]), circle[turn])
            }
            let place = lane + stride * (radix * group + output)
            (to.0[place], to.1[place]) = (sum.x, sum.y)
          }
        }
      }
      swap(&from, &to)
      length = groups
      stride *= radix
    }
    if from.0 != real.start {
      real.start.update(from: from.0, count: count)
      imaginary.start.update(from: from.1, count: count)
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

  private static func firstFactors(_ count: Int) -> [SIMD4<Float>] {
    var factors: [SIMD4<Float>] = []
    for place in stride(from: 0, to: count / 8, by: 4) {
      for output in 1..<8 {
        let roots = (0..<4).map { SIMD2<Float>(root((place + $0) * output, of: count)) }
        factors.append(SIMD4(roots[0].x, roots[1].x, roots[2].x, roots[3].x))
        factors.append(SIMD4(roots[0].y, roots[1].y, roots[2].y, roots[3].y))
      }
    }
    return factors
  }

  private static func secondFactors() -> [Float] {
    (0..<8).flatMap { place in
      (1..<8).flatMap { output in
        let factor = SIMD2<Float>(root(place * output, of: 64))
        return [factor.x, factor.y]
      }
    }
  }

  private static func factors(of count: Int) -> [Int] {
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
