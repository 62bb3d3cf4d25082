#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The analysis filter bank of SBR: from 1024 samples of the core to 32 complex subbands of 32 time slots.
///
/// Each slot takes 32 new samples: 320 samples under the window are folded to 64 values `u`, and
/// `W[k] = 2 sum of u[n] exp(i pi / 64 (k + 1/2) (2n - 1/2))`. With odd frequencies, the real `u` has only 32 different
/// complex values, and `u[n] + i u[n + 32]`, rotated, has all of them in its Fourier transform of 32 points: first the
/// even bands, then the odd ones backwards and conjugated.
///
/// Source: ISO/IEC 14496-3, 4.6.18.4.1.
final class QMFAnalysis {
  /// Samples before a frame that its first slot's window reaches.
  static let history = 288
  /// Samples of a frame.
  static let frameLength = 1024

  private typealias Vector = SIMD4<Float>
  private let fourier = ParallelFourierTransform(count: 32)
  /// The window in five parts of 64, each in the order of time.
  private let window: AlignedMemory<Float>
  /// `exp(i pi n / 64)`, real parts, then imaginary ones.
  private let before: [SIMD2<Float>]
  /// `exp(-i pi (k + 1/2) / 128)`, with the scale of 16-bit samples, for which SBR's energies are defined.
  private let after: [SIMD2<Float>]
  /// The folded samples of four slots, in the order of time.
  private let folded = AlignedMemory<Float>(4 * 64)

  init() {
    let c = QMFWindow.decimated
    window = AlignedMemory((0..<5).flatMap { part in (0..<64).map { c[63 - $0 + 64 * part] } })
    before = (0..<32).map { QMFAnalysis.rotation(Double($0) / 64, 1) }
    after = (0..<32).map { QMFAnalysis.rotation(-(Double($0) + 0.5) / 128, 2 * 32768) }
  }

  private static func rotation(_ halfTurns: Double, _ scale: Double) -> SIMD2<Float> {
    SIMD2(Float(scale * cos(.pi * halfTurns)), Float(scale * sin(.pi * halfTurns)))
  }

  /// Analyses a frame.
  ///
  /// - Parameters:
  ///   - samples: `history` earlier samples and those of the frame.
  ///   - target: its first 32 bands get the frame from slot `firstSlot` on.
  func analyse(_ samples: AlignedMemory<Float>, to target: SubbandSamples, firstSlot: Int) {
    precondition(samples.count >= QMFAnalysis.history + QMFAnalysis.frameLength && target.bands >= 32)
    precondition(firstSlot >= 0 && firstSlot + 32 <= SubbandSamples.slots)
    for batch in 0..<8 {
      for lane in 0..<4 { fold(samples, slot: 4 * batch + lane, lane: lane) }
      rotateBefore()
      fourier.transform()
      rotateAfter(to: target, slot: firstSlot + 4 * batch)
    }
  }

  /// Windows the samples of a slot and adds them up in 64 values. The window's last part ends with the slot, each
  /// earlier one 64 samples before: so all is within the 288 + 1024 samples.
  private func fold(_ samples: AlignedMemory<Float>, slot: Int, lane: Int) {
    let source = unsafe samples.pointer(at: 32 * slot, count: 320)
    let (window, target) = unsafe (window.start, folded.pointer(at: 64 * lane, count: 64))
    for index in stride(from: 0, to: 64, by: 4) {
      var sum = unsafe source.vector(index + 256) * window.vector(index)
      unsafe sum += source.vector(index + 192) * window.vector(index + 64)
      unsafe sum += source.vector(index + 128) * window.vector(index + 128)
      unsafe sum += source.vector(index + 64) * window.vector(index + 192)
      unsafe sum += source.vector(index) * window.vector(index + 256)
      unsafe target.store(sum, index)
    }
  }

  /// `u[n] + i u[n + 32]`, rotated: `u` is the folded values backwards. Every index is below 32, the transform's size,
  /// or below 64, the size of a lane's part.
  private func rotateBefore() {
    let folded = unsafe folded.start
    let (real, imaginary) = unsafe (fourier.real.start, fourier.imaginary.start)
    for index in stride(from: 0, to: 32, by: 4) {
      let first = unsafe Transposed(
        folded.vector(index + 32), folded.vector(index + 96), folded.vector(index + 160), folded.vector(index + 224))
      let second = unsafe Transposed(
        folded.vector(index), folded.vector(index + 64), folded.vector(index + 128), folded.vector(index + 192))
      for part in 0..<4 {
        let n = 31 - index - part
        let (factor, a, b) = (before[n], first[part], second[part])
        unsafe real[n] = a * factor.x - b * factor.y
        unsafe imaginary[n] = a * factor.y + b * factor.x
      }
    }
  }

  private func rotateAfter(to target: SubbandSamples, slot: Int) {
    let (real, imaginary) = unsafe (fourier.outputReal.start, fourier.outputImaginary.start)
    for index in 0..<32 {
      let isEven = index < 16
      let band = isEven ? 2 * index : 63 - 2 * index
      let (r, i) = unsafe (real[index], isEven ? imaginary[index] : -imaginary[index])
      let (factor, row) = unsafe (after[band], target.row(band))
      unsafe row.real.store(r * factor.x - i * factor.y, slot)
      unsafe row.imaginary.store(r * factor.y + i * factor.x, slot)
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

/// Four vectors as the columns of a matrix whose rows are four others.
struct Transposed {
  private let rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

  @inline(__always)
  init(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>) {
    let (ac, bd) = (SIMD4<Float>.lowInterleaved(a, c), SIMD4<Float>.lowInterleaved(b, d))
    let (ca, db) = (SIMD4<Float>.highInterleaved(a, c), SIMD4<Float>.highInterleaved(b, d))
    rows = (.lowInterleaved(ac, bd), .highInterleaved(ac, bd), .lowInterleaved(ca, db), .highInterleaved(ca, db))
  }

  /// A row, 0 to 3.
  @inline(__always)
  subscript(_ row: Int) -> SIMD4<Float> {
    switch row {
    case 0: rows.0
    case 1: rows.1
    case 2: rows.2
    default: rows.3
    }
  }
}
