#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The inverse modified discrete cosine transform: from `lines` spectral lines to twice as many samples, half of which
/// are mirror images of the others and are left out.
///
/// With `n = lines`, the standard's `x[i] = 1/n sum of X[k] cos(pi/n (i + 1/2 + n/2) (k + 1/2))`, `0 <= i < 2n`, has
/// `x[n-1-i] = -x[i]` for its first half and `x[3n-1-i] = x[i]` for its second: the samples `n/2 ..< 3n/2` determine
/// all others, and are the output. They are a cosine transform of type IV backwards, and that is a Fourier transform of
/// half as many complex values, with a rotation of each before and after.
///
/// Source: ISO/IEC 14496-3, 4.6.11.3.1.
final class InverseMDCT {
  /// Number of spectral lines, and of output samples: 1024, 128, 960 or 120.
  let lines: Int
  private let fourier: FourierTransform
  /// `exp(-i pi (n + 1/8) / lines)` times the scale, real parts, then imaginary parts, four at a time.
  private let before: AlignedMemory<SIMD4<Float>>
  /// The same without the scale.
  private let after: AlignedMemory<SIMD4<Float>>

  /// A transform of this many lines, a multiple of 8, each sample multiplied by `scale`.
  init(lines: Int, scale: Double) {
    self.lines = lines
    fourier = FourierTransform(count: lines / 2)
    before = AlignedMemory(InverseMDCT.rotations(lines, scale: scale / Double(lines)))
    after = AlignedMemory(InverseMDCT.rotations(lines, scale: 1))
  }

  private static func rotations(_ lines: Int, scale: Double) -> [SIMD4<Float>] {
    stride(from: 0, to: lines / 2, by: 4).flatMap { index in
      var (real, imaginary) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
      for lane in 0..<4 {
        let angle = -Double.pi * (Double(index + lane) + 0.125) / Double(lines)
        (real[lane], imaginary[lane]) = (cos(angle) * scale, sin(angle) * scale)
      }
      return [SIMD4<Float>(real), SIMD4<Float>(imaginary)]
    }
  }

  /// Transforms `lines` values into `lines` samples: both begin at a multiple of 4.
  ///
  /// That they exist is checked here. All loops run over these vectors, and those of the Fourier transform and of the
  /// rotations, whose sizes follow from `lines`: half as many values in each.
  func transform(_ spectrum: MemoryPart<Float>, to samples: MemoryPart<Float>) {
    unsafe rotateBefore(spectrum.vectors(count: lines))
    fourier.transform()
    rotateAfter()
    unsafe interleave(to: samples.vectors(count: lines))
  }

  /// Value `n` is made from lines `2n` and `lines - 1 - 2n`: so vectors from both ends are processed together. With an
  /// odd number of vectors the middle one is its own partner, and is processed twice with the same result.
  private func rotateBefore(_ spectrum: UnsafeMutablePointer<SIMD4<Float>>) {
    let vectors = lines / 8
    let (real, imaginary) = unsafe (fourier.real.vectors, fourier.imaginary.vectors)
    let rotation = unsafe before.start
    for low in 0..<((vectors + 1) / 2) {
      let high = vectors - 1 - low
      let (a, b) = unsafe (spectrum[2 * low], spectrum[2 * low + 1])
      let (c, d) = unsafe (spectrum[2 * high], spectrum[2 * high + 1])
      let (lowEven, lowOdd) = (SIMD4(a.x, a.z, b.x, b.z), SIMD4(b.w, b.y, a.w, a.y))
      let (highEven, highOdd) = (SIMD4(c.x, c.z, d.x, d.z), SIMD4(d.w, d.y, c.w, c.y))
      let (lowReal, lowImaginary) = unsafe (rotation[2 * low], rotation[2 * low + 1])
      let (highReal, highImaginary) = unsafe (rotation[2 * high], rotation[2 * high + 1])
      unsafe real[low] = lowEven * lowReal - highOdd * lowImaginary
      unsafe imaginary[low] = lowEven * lowImaginary + highOdd * lowReal
      unsafe real[high] = highEven * highReal - lowOdd * highImaginary
      unsafe imaginary[high] = highEven * highImaginary + lowOdd * highReal
    }
  }

  private func rotateAfter() {
    let (real, imaginary) = unsafe (fourier.outputReal.vectors, fourier.outputImaginary.vectors)
    let rotation = unsafe after.start
    for index in 0..<(lines / 8) {
      let (r, i) = unsafe (real[index], imaginary[index])
      let (c, s) = unsafe (rotation[2 * index], rotation[2 * index + 1])
      unsafe real[index] = i * s - r * c
      unsafe imaginary[index] = r * s + i * c
    }
  }

  /// Value `k` gives sample `2k`, its imaginary part, and sample `lines - 1 - 2k`, its real part, negated by now.
  ///
  /// A separate loop: if vectors are computed and taken apart in the same one, the compiler computes values one by one.
  private func interleave(to samples: UnsafeMutablePointer<SIMD4<Float>>) {
    let (real, imaginary) = unsafe (fourier.outputReal.vectors, fourier.outputImaginary.vectors)
    let vectors = lines / 8
    for index in 0..<vectors {
      let (even, odd) = unsafe (imaginary[index], real[vectors - 1 - index])
      unsafe samples[2 * index] = SIMD4(even.x, odd.w, even.y, odd.z)
      unsafe samples[2 * index + 1] = SIMD4(even.z, odd.y, even.w, odd.x)
    }
  }
}
