#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The analysis filter bank of SBR: from 1024 samples of the core to 32 complex subbands of 32 time slots, or, in the
/// encoder, from 2048 samples to 64 subbands.
///
/// With `K` bands, each slot takes `K` new samples: `10 K` samples under the window are folded to `2 K` values `u`, and
/// `W[k] = 64 / K sum of u[n] exp(i pi / 2K (k + 1/2) (2n - o))`. The larger bank's offset `o` is 1; the smaller one
/// takes every second sample, so it is 1/2 there. With odd frequencies, the real `u` has only `K` different complex
/// values, and `u[n] + i u[n + K]`, rotated, has all of them in its Fourier transform of `K` points: first the even
/// bands, then the odd ones backwards and conjugated.
///
/// Source: ISO/IEC 14496-3, 4.6.18.4.1.
final class QMFAnalysis {
  /// Samples of the core before a frame that its first slot's window reaches.
  static let history = 288
  /// Samples of a frame of the core.
  static let frameLength = 1024

  /// Number of bands: 32 or 64.
  let bands: Int

  private typealias Vector = SIMD4<Float>
  private let fourier: ParallelFourierTransform
  /// The window in five parts of `2 K`, each in the order of time.
  private let window: AlignedMemory<Float>
  /// `exp(i pi n / 2K)`, real parts, then imaginary ones.
  private let before: AlignedMemory<SIMD2<Float>>
  /// `exp(-i pi / 2K (k + 1/2) o)`, by band, with the scale of 16-bit samples, for which SBR's energies are defined:
  /// what real and imaginary parts are multiplied by for the real part of the product, and then for its imaginary part.
  /// Odd bands come conjugated.
  private let after: AlignedMemory<SIMD4<Float>>
  /// The folded samples of four slots, in the order of time.
  private let folded: AlignedMemory<Float>

  /// A bank.
  ///
  /// - Parameters:
  ///   - bands: 32, or 64 for samples at twice the rate.
  ///   - fullScale: of the samples: 1, or 32 768.
  init(bands: Int = 32, fullScale: Double = 1) {
    self.bands = bands
    let (c, length) = (bands == 64 ? QMFWindow.whole : QMFWindow.decimated, 2 * bands)
    fourier = ParallelFourierTransform(count: bands)
    folded = AlignedMemory(4 * length)
    window = AlignedMemory((0..<5).flatMap { part in (0..<length).map { c[length - 1 - $0 + length * part] } })
    before = AlignedMemory((0..<bands).map { QMFAnalysis.rotation(Double($0) / Double(length), 1) })
    let (offset, scale) = (Double(bands) / 64, 64 / Double(bands) * 32768 / fullScale)
    after = AlignedMemory(
      (0..<bands).map { band in
        let factor = QMFAnalysis.rotation(-(Double(band) + 0.5) * offset / Double(length), scale)
        let sign: Float = band & 1 == 0 ? 1 : -1
        return SIMD4(factor.x, -sign * factor.y, factor.y, sign * factor.x)
      })
  }

  private static func rotation(_ halfTurns: Double, _ scale: Double) -> SIMD2<Float> {
    SIMD2(Float(scale * cos(.pi * halfTurns)), Float(scale * sin(.pi * halfTurns)))
  }

  /// Analyses a frame.
  ///
  /// - Parameters:
  ///   - samples: nine slots of earlier samples and the 32 of the frame.
  ///   - target: its first bands get the frame from slot `firstSlot` on.
  func analyse(_ samples: AlignedMemory<Float>, to target: SubbandSamples, firstSlot: Int) {
    precondition(samples.count >= (9 + 32) * bands && target.bands >= bands)
    precondition(firstSlot >= 0 && firstSlot + 32 <= SubbandSamples.slots)
    for batch in 0..<8 {
      fold(samples, slot: 4 * batch)
      rotateBefore()
      fourier.transform()
      rotateAfter(to: target, slot: firstSlot + 4 * batch)
    }
  }

  /// Windows the samples of four slots, and adds them up in `2 K` values for each. The window's last part ends with the
  /// slot, each earlier one `2 K` samples before: so all is within the samples. What is loaded of the window serves all
  /// four.
  private func fold(_ samples: AlignedMemory<Float>, slot: Int) {
    let length = 2 * bands
    let source = unsafe samples.pointer(at: bands * slot, count: 5 * length + 3 * bands)
    let (window, target) = unsafe (window.start, folded.start)
    for index in stride(from: 0, to: length, by: 4) {
      let (w0, w1) = unsafe (window.vector(index), window.vector(index + length))
      let (w2, w3) = unsafe (window.vector(index + 2 * length), window.vector(index + 3 * length))
      let w4 = unsafe window.vector(index + 4 * length)
      for lane in 0..<4 {
        let first = unsafe source + lane * bands + index
        var sum = unsafe first.vector(4 * length) * w0
        unsafe sum += first.vector(3 * length) * w1
        unsafe sum += first.vector(2 * length) * w2
        unsafe sum += first.vector(length) * w3
        unsafe sum += first.vector(0) * w4
        unsafe target.store(sum, lane * length + index)
      }
    }
  }

  /// `u[n] + i u[n + K]`, rotated: `u` is the folded values backwards. Every index is below `K`, the transform's size,
  /// or below `2 K`, the size of a lane's part.
  private func rotateBefore() {
    let (folded, length) = unsafe (folded.start, 2 * bands)
    let (real, imaginary, factors) = unsafe (fourier.real.start, fourier.imaginary.start, before.start)
    for index in stride(from: 0, to: bands, by: 4) {
      let upper = index + bands
      let first = unsafe Transposed(
        folded.vector(upper), folded.vector(upper + length), folded.vector(upper + 2 * length),
        folded.vector(upper + 3 * length))
      let second = unsafe Transposed(
        folded.vector(index), folded.vector(index + length), folded.vector(index + 2 * length),
        folded.vector(index + 3 * length))
      for part in 0..<4 {
        let n = bands - 1 - index - part
        let (factor, a, b) = unsafe (factors[n], first[part], second[part])
        unsafe real[n] = a * factor.x - b * factor.y
        unsafe imaginary[n] = a * factor.y + b * factor.x
      }
    }
  }

  /// The transform gives the even bands first, then the odd ones backwards. The target has a row for each.
  private func rotateAfter(to target: SubbandSamples, slot: Int) {
    let (real, imaginary) = unsafe (fourier.outputReal.start, fourier.outputImaginary.start)
    var (row, factors) = unsafe (target.row(0).advanced(by: slot), after.start)
    @inline(__always)
    func rotate(from index: Int) {
      let (r, i, factor) = unsafe (real[index], imaginary[index], factors[0])
      unsafe row.real.store(r * factor.x + i * factor.y, 0)
      unsafe row.imaginary.store(r * factor.z + i * factor.w, 0)
      unsafe row = row.advanced(by: SubbandSamples.slots)
      unsafe factors += 1
    }
    for pair in 0..<(bands / 2) {
      rotate(from: pair)
      rotate(from: bands - 1 - pair)
    }
  }
}

/// The prototype filter of both banks.
///
/// Source: ISO/IEC 14496-3, 4.6.18.4, table 4.A.89.
enum QMFWindow {
  /// All 640 coefficients. The second half mirrors the first, but for the sign where parts of 128 begin.
  static let whole: [Float] = (0..<640).map { index in
    guard index > 320 else { return SBRConstants.window[index] }
    let mirrored = SBRConstants.window[640 - index]
    return index % 128 == 0 ? -mirrored : mirrored
  }

  /// Every second one, for banks of 32 bands.
  static let decimated: [Float] = (0..<320).map { whole[2 * $0] }
}
