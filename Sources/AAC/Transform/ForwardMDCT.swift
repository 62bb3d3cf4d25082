#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The modified discrete cosine transform of an encoder: from a windowed block of sound to half as many lines.
///
/// `X[k] = 2 sum z[n] cos(2 pi / N (n + n0) (k + 1/2))`, with `n0 = (N / 2 + 1) / 2`. Blocks overlap by half; what one
/// transform folds over itself, the next one folds with the opposite sign, and the decoder's sum undoes both.
///
/// The block is folded to half its length, which leaves a cosine transform of type IV; that is a complex Fourier
/// transform of half the size between two rotations. Source: ISO/IEC 14496-3, 4.6.11 (the formula).
final class ForwardMDCT {
  /// Lines of a transform: 1024 or 128.
  let lineCount: Int
  private let fft: FourierTransform
  private let cosines: AlignedMemory<Float>
  private let sines: AlignedMemory<Float>
  private let folded: AlignedMemory<Float>

  init(lineCount: Int) {
    self.lineCount = lineCount
    let half = lineCount / 2
    fft = FourierTransform(count: half)
    cosines = AlignedMemory(half)
    sines = AlignedMemory(half)
    folded = AlignedMemory(lineCount)
    for n in 0..<half {
      let angle = -Double.pi * Double(8 * n + 1) / Double(8 * lineCount)
      // The square root of the factor 2, as the rotation is done twice.
      cosines[n] = Float(cos(angle) * 2.0.squareRoot())
      sines[n] = Float(sin(angle) * 2.0.squareRoot())
    }
  }

  /// Transforms `2 * lineCount` samples.
  ///
  /// - Parameters:
  ///   - input: the samples, `2 * lineCount` of them.
  ///   - rise: the window's first half, `lineCount` factors.
  ///   - fall: its second half.
  ///   - lines: where the result goes, `lineCount` values.
  ///
  /// That all of these exist is checked here. The loops run over them, and over the transform's own memory, eight
  /// values at a time: `lineCount`, or half of it, of each.
  func run(
    _ input: MemoryPart<Float>, rise: AlignedMemory<Float>, fall: AlignedMemory<Float>, to lines: MemoryPart<Float>
  ) {
    unsafe fold(
      input.pointer(count: 2 * lineCount), rise.pointer(at: 0, count: lineCount), fall.pointer(at: 0, count: lineCount))
    rotateIn()
    fft.transform()
    unsafe rotateOut(to: lines.pointer(count: lineCount))
  }

  private func fold(_ input: UnsafePointer<Float>, _ rise: UnsafePointer<Float>, _ fall: UnsafePointer<Float>) {
    let half = lineCount / 2
    var n = 0
    while n < half {
      let mirrored = half - 8 - n
      let third = unsafe reversed(load(input, lineCount + mirrored) * load(fall, mirrored))
      let fourth = unsafe load(input, lineCount + half + n) * load(fall, half + n)
      unsafe store(-third - fourth, folded.start, n)
      let first = unsafe load(input, n) * load(rise, n)
      let second = unsafe reversed(load(input, half + mirrored) * load(rise, half + mirrored))
      unsafe store(first - second, folded.start, half + n)
      n &+= 8
    }
  }

  private func rotateIn() {
    var n = 0
    while n < lineCount / 2 {
      let x = unsafe load16(folded.start, 2 * n).evenHalf
      let y = unsafe reversed(load16(folded.start, lineCount - 16 - 2 * n).oddHalf)
      let (c, s) = unsafe (load(cosines.start, n), load(sines.start, n))
      unsafe store(x * c - y * s, fft.real.start, n)
      unsafe store(x * s + y * c, fft.imaginary.start, n)
      n &+= 8
    }
  }

  private func rotateOut(to lines: UnsafeMutablePointer<Float>) {
    let half = lineCount / 2
    let (real, imaginary) = unsafe (fft.outputReal.start, fft.outputImaginary.start)
    var n = 0
    while n < half {
      let (c, s) = unsafe (load(cosines.start, n), load(sines.start, n))
      let even = unsafe load(real, n) * c - load(imaginary, n) * s
      let m = half - 8 - n
      let (d, t) = unsafe (load(cosines.start, m), load(sines.start, m))
      let odd = unsafe load(real, m) * t + load(imaginary, m) * d
      var both = SIMD16<Float>()
      both.evenHalf = even
      both.oddHalf = -reversed(odd)
      unsafe UnsafeMutableRawPointer(lines + 2 * n).storeBytes(of: both, as: SIMD16<Float>.self)
      n &+= 8
    }
  }

  @inline(__always)
  private func load16(_ pointer: UnsafeMutablePointer<Float>, _ index: Int) -> SIMD16<Float> {
    unsafe UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD16<Float>.self)
  }

  @inline(__always)
  private func reversed(_ v: SIMD8<Float>) -> SIMD8<Float> {
    SIMD8(v[7], v[6], v[5], v[4], v[3], v[2], v[1], v[0])
  }
}

// Eight floats at once; the loops' bounds have to ensure that they exist.

@inline(__always)
func load(_ pointer: UnsafePointer<Float>, _ index: Int) -> SIMD8<Float> {
  unsafe UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always)
func load(_ pointer: UnsafeMutablePointer<Float>, _ index: Int) -> SIMD8<Float> {
  unsafe UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always)
func store(_ vector: SIMD8<Float>, _ pointer: UnsafeMutablePointer<Float>, _ index: Int) {
  unsafe UnsafeMutableRawPointer(pointer + index).storeBytes(of: vector, as: SIMD8<Float>.self)
}
