#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Four discrete Fourier transforms at once, one in each element of the vectors: `X[k] = sum of x[n] exp(2 pi i n k /
/// count)`, the order of both natural.
///
/// The filter banks of SBR transform a short block for each of 32 time slots. Four slots side by side need no
/// rearranging of vectors, as one transform would.
///
/// With `n = (count / 8) a + b` and `k = d + 8 e`, the first pass sums over a, the second over b.
final class ParallelFourierTransform {
  typealias Vector = SIMD4<Float>

  /// The input, which is overwritten.
  let real: AlignedMemory<Vector>
  let imaginary: AlignedMemory<Vector>
  /// The output.
  let outputReal: AlignedMemory<Vector>
  let outputImaginary: AlignedMemory<Vector>
  private let count: Int
  /// Seven complex factors for each value of b: `exp(-2 pi i b d / count)`.
  private let factors: AlignedMemory<Vector>

  /// Transforms of 32 or 64 points.
  init(count: Int) {
    precondition(count == 32 || count == 64)
    self.count = count
    real = AlignedMemory(count)
    imaginary = AlignedMemory(count)
    outputReal = AlignedMemory(count)
    outputImaginary = AlignedMemory(count)
    factors = AlignedMemory(
      (0..<(count / 8)).flatMap { b in
        (1..<8).flatMap { d in
          let angle = -2 * Double.pi * Double(b * d) / Double(count)
          return [Vector(repeating: Float(cos(angle))), Vector(repeating: Float(sin(angle)))]
        }
      })
  }

  /// Transforms the content of `real` and `imaginary`.
  ///
  /// A transform with the opposite sign is the usual one with real and imaginary parts exchanged before and after. All
  /// four memories have `count` vectors, eight rows of `count / 8`, which the passes touch once each.
  func transform() {
    let width = count / 8
    let (from, from2) = unsafe (imaginary.start, real.start)
    let (to, to2) = unsafe (outputImaginary.start, outputReal.start)
    for b in 0..<width {
      var points = unsafe EightPointTransform(from + b, from2 + b, stride: width)
      points.transform()
      unsafe points.rotate(factors.start + 14 * b)
      unsafe points.store(from + b, from2 + b, stride: width)
    }
    for d in 0..<8 {
      if width == 8 {
        var points = unsafe EightPointTransform(from + 8 * d, from2 + 8 * d, stride: 1)
        points.transform()
        unsafe points.store(to + d, to2 + d, stride: 8)
      } else {
        unsafe fourPoints(from + 4 * d, from2 + 4 * d, to: to + d, to2 + d)
      }
    }
  }

  /// Transforms four adjacent values, to positions eight apart.
  @inline(__always)
  private func fourPoints(
    _ r: UnsafeMutablePointer<Vector>, _ i: UnsafeMutablePointer<Vector>, to real: UnsafeMutablePointer<Vector>,
    _ imaginary: UnsafeMutablePointer<Vector>
  ) {
    let (sr02, si02, dr02, di02) = unsafe (r[0] + r[2], i[0] + i[2], r[0] - r[2], i[0] - i[2])
    let (sr13, si13, dr13, di13) = unsafe (r[1] + r[3], i[1] + i[3], r[1] - r[3], i[1] - i[3])
    unsafe (real[0], imaginary[0]) = (sr02 + sr13, si02 + si13)
    unsafe (real[8], imaginary[8]) = (dr02 + di13, di02 - dr13)
    unsafe (real[16], imaginary[16]) = (sr02 - sr13, si02 - si13)
    unsafe (real[24], imaginary[24]) = (dr02 - di13, di02 + dr13)
  }
}
