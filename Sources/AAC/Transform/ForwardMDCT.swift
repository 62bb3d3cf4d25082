#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The modified discrete cosine transform of an encoder: from a windowed stretch of sound to half as many lines.
///
/// `X[k] = 2 sum z[n] cos(2 pi / N (n + n0) (k + 1/2))`, with `n0 = (N / 2 + 1) / 2`. Stretches overlap by half; what
/// one transform folds over itself, the next one folds with the opposite sign, and the decoder's sum undoes both.
///
/// The stretch is folded to its half, which makes a cosine transform of type IV; that is a complex Fourier transform
/// of half the size between two rotations. Source: ISO/IEC 14496-3, 4.6.11 (the formula).
final class ForwardMDCT {
  /// Lines of a transform: 1024 or 128.
  let lineCount: Int
  private let fft: RadixEightFFT
  private let cosines: UnsafeMutablePointer<Float>
  private let sines: UnsafeMutablePointer<Float>
  private let folded: UnsafeMutablePointer<Float>

  init(lineCount: Int) {
    self.lineCount = lineCount
    let half = lineCount / 2
    fft = RadixEightFFT(count: half)
    cosines = .allocate(capacity: half)
    sines = .allocate(capacity: half)
    folded = .allocate(capacity: lineCount)
    folded.initialize(repeating: 0, count: lineCount)
    for n in 0..<half {
      let angle = -Double.pi * Double(8 * n + 1) / Double(8 * lineCount)
      // The root of the factor 2, as the rotation is done twice.
      cosines[n] = Float(cos(angle) * 2.0.squareRoot())
      sines[n] = Float(sin(angle) * 2.0.squareRoot())
    }
  }

  deinit {
    for pointer in [cosines, sines, folded] { pointer.deallocate() }
  }

  /// Transforms `2 * lineCount` samples.
  ///
  /// - Parameters:
  ///   - input: the samples; as many as said must be there.
  ///   - rise: the window's first half, `lineCount` factors.
  ///   - fall: its second half.
  ///   - lines: where the result goes, `lineCount` values.
  func run(
    _ input: UnsafePointer<Float>, rise: UnsafePointer<Float>, fall: UnsafePointer<Float>,
    to lines: UnsafeMutablePointer<Float>
  ) {
    fold(input, rise, fall)
    rotateIn()
    fft.run()
    rotateOut(to: lines)
  }

  private func fold(_ input: UnsafePointer<Float>, _ rise: UnsafePointer<Float>, _ fall: UnsafePointer<Float>) {
    let half = lineCount / 2
    for n in stride(from: 0, to: half, by: 8) {
      let mirrored = half - 8 - n
      let third = reversed(load(input, lineCount + mirrored) * load(fall, mirrored))
      let fourth = load(input, lineCount + half + n) * load(fall, half + n)
      store(-third - fourth, folded, n)
      let first = load(input, n) * load(rise, n)
      let second = reversed(load(input, half + mirrored) * load(rise, half + mirrored))
      store(first - second, folded, half + n)
    }
  }

  private func rotateIn() {
    for n in stride(from: 0, to: lineCount / 2, by: 8) {
      let x = load16(folded, 2 * n).evenHalf
      let y = reversed(load16(folded, lineCount - 16 - 2 * n).oddHalf)
      let (c, s) = (load(cosines, n), load(sines, n))
      store(x * c - y * s, fft.real, n)
      store(x * s + y * c, fft.imaginary, n)
    }
  }

  private func rotateOut(to lines: UnsafeMutablePointer<Float>) {
    let half = lineCount / 2
    for n in stride(from: 0, to: half, by: 8) {
      let (c, s) = (load(cosines, n), load(sines, n))
      let even = load(fft.real, n) * c - load(fft.imaginary, n) * s
      let m = half - 8 - n
      let (d, t) = (load(cosines, m), load(sines, m))
      let odd = load(fft.real, m) * t + load(fft.imaginary, m) * d
      var both = SIMD16<Float>()
      both.evenHalf = even
      both.oddHalf = -reversed(odd)
      UnsafeMutableRawPointer(lines + 2 * n).storeBytes(of: both, as: SIMD16<Float>.self)
    }
  }

  @inline(__always)
  private func load16(_ pointer: UnsafeMutablePointer<Float>, _ index: Int) -> SIMD16<Float> {
    UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD16<Float>.self)
  }

  @inline(__always)
  private func reversed(_ v: SIMD8<Float>) -> SIMD8<Float> {
    SIMD8(v[7], v[6], v[5], v[4], v[3], v[2], v[1], v[0])
  }
}
