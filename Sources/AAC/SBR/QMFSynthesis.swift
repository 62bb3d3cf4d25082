#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The synthesis filter bank of SBR: from 64 complex subbands of 32 time slots to 2048 samples, or from the lower 32 of
/// them to 1024.
///
/// With `K` bands, each slot gives `a[n] = Re sum of X[k] exp(i pi / K (k + 1/2) (n + o))`, `0 <= n < 2K`, and ten
/// slots overlap under the window. The offset `o` is 1/2 for 64 bands; the smaller bank gives every second sample of
/// the larger one, so it is 1/4 there. In `a`, the frequencies are odd; bands of odd number, conjugated, take the place
/// of those that a Fourier transform of `K` points would lack.
///
/// Source: ISO/IEC 14496-3, 4.6.18.4.2 and 4.6.18.4.3.
final class QMFSynthesis {
  /// Slots of a row of a channel's memory: 9 earlier ones that the window reaches, 32 of a frame, and 3 that are
  /// unused, so that vectors of a frame are aligned.
  private static let earlier = 12
  private static let rowLength = 44

  /// The state of a channel: for each of `2K` values a row of transformed slots, the earlier ones first. Time runs
  /// along rows, as four slots are transformed at once: they are stored, and added up later, without rearranging.
  final class State {
    fileprivate let rows: AlignedMemory<Float>

    init(bands: Int) {
      rows = AlignedMemory(2 * bands * QMFSynthesis.rowLength)
    }

    /// Forgets the past.
    func reset() { rows.clear() }
  }

  /// Number of bands: 64 or 32.
  let bands: Int
  private let fourier: ParallelFourierTransform
  /// For each band, ten coefficients of the window, one for each slot, newest first; with the scale of the output.
  private let window: AlignedMemory<Float>
  /// Four bands of a frame's output, before they are interleaved.
  private let sums = AlignedMemory<Float>(4 * 32)
  /// `exp(i pi / K (k + 1/2) o)`, by band: what real and imaginary parts are multiplied by for the real part of the
  /// product, and then for its imaginary part, which is negated for odd bands.
  private let before: AlignedMemory<SIMD4<Float>>
  /// `exp(i pi n / (2 K))`.
  private let after: AlignedMemory<SIMD2<Float>>

  /// A bank of 64 bands, or of 32 for output at the rate of the core.
  init(bands: Int) {
    self.bands = bands
    fourier = ParallelFourierTransform(count: bands)
    let c = bands == 64 ? QMFWindow.whole : QMFWindow.decimated
    let scale = Float(-1.0 / (64 * 32768))
    window = AlignedMemory((0..<bands).flatMap { band in (0..<10).map { c[bands * $0 + band] * scale } })
    let offset = bands == 64 ? 0.5 : 0.25
    before = AlignedMemory(
      (0..<bands).map { band in
        let factor = QMFSynthesis.rotation((Double(band) + 0.5) * offset / Double(bands))
        let sign: Float = band & 1 == 0 ? 1 : -1
        return SIMD4(factor.x, -factor.y, sign * factor.y, sign * factor.x)
      })
    after = AlignedMemory((0..<bands).map { QMFSynthesis.rotation(Double($0) / Double(2 * bands)) })
  }

  private static func rotation(_ halfTurns: Double) -> SIMD2<Float> {
    SIMD2(Float(cos(.pi * halfTurns)), Float(sin(.pi * halfTurns)))
  }

  /// Synthesises a frame.
  ///
  /// - Parameters:
  ///   - source: slots 0 to 31 of at least `bands` bands.
  ///   - firstRow: the row of the lowest band.
  ///   - state: the channel's, of a bank of the same size.
  ///   - samples: gets 32 samples for each band.
  func synthesise(_ source: SubbandSamples, firstRow: Int = 0, _ state: State, to samples: AlignedMemory<Float>) {
    precondition(source.bands >= firstRow + bands && samples.count >= 32 * bands)
    precondition(state.rows.count >= 2 * bands * QMFSynthesis.rowLength)
    let (rows, length) = unsafe (state.rows.start, QMFSynthesis.rowLength)
    for row in 0..<(2 * bands) {
      for slot in stride(from: 0, to: QMFSynthesis.earlier, by: 4) {
        unsafe rows.store(rows.vector(row * length + 32 + slot), row * length + slot)
      }
    }
    for batch in 0..<8 {
      rotateBefore(source, firstRow: firstRow, slot: 4 * batch)
      fourier.transform()
      unsafe rotateAfter(to: rows + QMFSynthesis.earlier + 4 * batch)
    }
    for band in stride(from: 0, to: bands, by: 4) { unsafe addUp(rows, band: band, to: samples.start) }
  }

  /// Every index is below the number of bands, which is the transform's size; the source has a row for each. The
  /// transform takes the even bands first, then the odd ones backwards.
  private func rotateBefore(_ source: SubbandSamples, firstRow: Int, slot: Int) {
    let (real, imaginary) = unsafe (fourier.real.start, fourier.imaginary.start)
    var (row, factors) = unsafe (source.row(firstRow).advanced(by: slot), before.start)
    @inline(__always)
    func rotate(to index: Int) {
      let (r, i, factor) = unsafe (row.real.vector(0), row.imaginary.vector(0), factors[0])
      unsafe real[index] = r * factor.x + i * factor.y
      unsafe imaginary[index] = r * factor.z + i * factor.w
      unsafe row = row.advanced(by: SubbandSamples.slots)
      unsafe factors += 1
    }
    for pair in 0..<(bands / 2) {
      rotate(to: pair)
      rotate(to: bands - 1 - pair)
    }
  }

  /// Real parts are the first half of `a`, imaginary ones, negated, the second. Every row has the four slots.
  private func rotateAfter(to target: UnsafeMutablePointer<Float>) {
    let (real, imaginary, factors) = unsafe (fourier.outputReal.start, fourier.outputImaginary.start, after.start)
    var (first, second) = unsafe (target, target + bands * QMFSynthesis.rowLength)
    for n in 0..<bands {
      let (r, i, factor) = unsafe (real[n], imaginary[n], factors[n])
      unsafe first.store(r * factor.x - i * factor.y, 0)
      unsafe second.store(-(r * factor.y + i * factor.x), 0)
      unsafe first += QMFSynthesis.rowLength
      unsafe second += QMFSynthesis.rowLength
    }
  }

  /// Makes the output of four bands: 32 slots of them, `bands` samples apart.
  private func addUp(_ rows: UnsafeMutablePointer<Float>, band: Int, to samples: UnsafeMutablePointer<Float>) {
    let sums = unsafe sums.start
    for column in 0..<4 { unsafe addUp(rows, column: band + column, to: sums + 32 * column) }
    for slot in stride(from: 0, to: 32, by: 4) {
      let block = unsafe Transposed(
        sums.vector(slot), sums.vector(32 + slot), sums.vector(64 + slot), sums.vector(96 + slot))
      for lane in 0..<4 { unsafe samples.store(block[lane], (slot + lane) * bands + band) }
    }
  }

  /// Adds up ten slots under the window, taking alternately the first and the second half of `a`. A row has nine slots
  /// before each slot of the frame.
  private func addUp(_ rows: UnsafeMutablePointer<Float>, column: Int, to sums: UnsafeMutablePointer<Float>) {
    let w = unsafe window.start + 10 * column
    let (w0, w1, w2, w3, w4) = unsafe (w[0], w[1], w[2], w[3], w[4])
    let (w5, w6, w7, w8, w9) = unsafe (w[5], w[6], w[7], w[8], w[9])
    let first = unsafe rows + column * QMFSynthesis.rowLength + QMFSynthesis.earlier
    let second = unsafe first + bands * QMFSynthesis.rowLength
    for slot in stride(from: 0, to: 32, by: 4) {
      var sum = unsafe first.vector(slot) * w0 + second.vector(slot - 1) * w1
      unsafe sum += first.vector(slot - 2) * w2
      unsafe sum += second.vector(slot - 3) * w3
      unsafe sum += first.vector(slot - 4) * w4
      unsafe sum += second.vector(slot - 5) * w5
      unsafe sum += first.vector(slot - 6) * w6
      unsafe sum += second.vector(slot - 7) * w7
      unsafe sum += first.vector(slot - 8) * w8
      unsafe sum += second.vector(slot - 9) * w9
      unsafe sums.store(sum, slot)
    }
  }
}
