#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The synthesis filter bank of SBR: from 64 complex subbands of 32 time slots to 2048 samples, or from the lower 32 of
/// them to 1024.
///
/// With `K` bands, each slot gives `a[n] = Re sum of X[k] exp(i pi / K (k + 1/2) (n + o))`, `0 <= n < 2K`, and ten slots
/// overlap under the window. The offset `o` is 1/2 for 64 bands; the smaller bank gives every second sample of the larger
/// one, so it is 1/4 there. In `a`, the frequencies are odd; bands of odd number, conjugated, take the place of those that
/// a Fourier transform of `K` points would lack.
///
/// Source: ISO/IEC 14496-3, 4.6.18.4.2 and 4.6.18.4.3.
final class QMFSynthesis {
  /// Earlier slots that the window reaches.
  private static let overlap = 9

  /// The state of a channel: the transformed slots, the earlier ones first.
  final class State {
    fileprivate let slots: AlignedMemory<Float>

    init(bands: Int) {
      slots = AlignedMemory((QMFSynthesis.overlap + 32) * 2 * bands)
    }

    /// Forgets the past.
    func reset() { slots.clear() }
  }

  /// Number of bands: 64 or 32.
  let bands: Int
  private let fourier: ParallelFourierTransform
  /// Ten parts of the window, one for each slot, newest first; with the scale of the output.
  private let window: AlignedMemory<Float>
  /// `exp(i pi / K (k + 1/2) o)`.
  private let before: [SIMD2<Float>]
  /// `exp(i pi n / (2 K))`.
  private let after: [SIMD2<Float>]

  /// A bank of 64 bands, or of 32 for output at the rate of the core.
  init(bands: Int) {
    self.bands = bands
    fourier = ParallelFourierTransform(count: bands)
    let c = bands == 64 ? QMFWindow.whole : QMFWindow.decimated
    window = AlignedMemory(c.map { $0 * Float(-1.0 / (64 * 32768)) })
    let offset = bands == 64 ? 0.5 : 0.25
    before = (0..<bands).map { QMFSynthesis.rotation((Double($0) + 0.5) * offset / Double(bands)) }
    after = (0..<bands).map { QMFSynthesis.rotation(Double($0) / Double(2 * bands)) }
  }

  private static func rotation(_ halfTurns: Double) -> SIMD2<Float> {
    SIMD2(Float(cos(.pi * halfTurns)), Float(sin(.pi * halfTurns)))
  }

  /// Synthesises a frame.
  ///
  /// - Parameters:
  ///   - source: slots 0 to 31 of at least `bands` bands.
  ///   - state: the channel's, of a bank of the same size.
  ///   - samples: gets 32 samples for each band.
  func synthesise(_ source: SubbandSamples, _ state: State, to samples: AlignedMemory<Float>) {
    precondition(source.bands >= bands && samples.count >= 32 * bands)
    let (length, slots) = (2 * bands, state.slots)
    slots.all.update(from: slots.from(32 * length), count: QMFSynthesis.overlap * length)
    for batch in 0..<8 {
      rotateBefore(source, slot: 4 * batch)
      fourier.transform()
      rotateAfter(to: slots, slot: QMFSynthesis.overlap + 4 * batch)
    }
    for slot in 0..<32 { addUp(slots, slot: slot, to: samples) }
  }

  /// Every index is below the number of bands, which is the transform's size.
  private func rotateBefore(_ source: SubbandSamples, slot: Int) {
    let (real, imaginary) = unsafe (fourier.real.start, fourier.imaginary.start)
    for index in 0..<bands {
      let isEven = 2 * index < bands
      let band = isEven ? 2 * index : 2 * bands - 1 - 2 * index
      let (row, factor) = unsafe (source.row(band), before[band])
      let (r, i) = unsafe (row.real.vector(slot), row.imaginary.vector(slot))
      let turned = r * factor.y + i * factor.x
      unsafe real[index] = r * factor.x - i * factor.y
      unsafe imaginary[index] = isEven ? turned : -turned
    }
  }

  /// Real parts are the first half of `a`, imaginary ones, negated, the second.
  private func rotateAfter(to slots: AlignedMemory<Float>, slot: Int) {
    let length = 2 * bands
    let (real, imaginary) = unsafe (fourier.outputReal.start, fourier.outputImaginary.start)
    let target = unsafe slots.pointer(at: slot * length, count: 4 * length)
    for n in stride(from: 0, to: bands, by: 4) {
      var first: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) = (.zero, .zero, .zero, .zero)
      var second = first
      unsafe (first.0, second.0) = turned(real[n], imaginary[n], after[n])
      unsafe (first.1, second.1) = turned(real[n + 1], imaginary[n + 1], after[n + 1])
      unsafe (first.2, second.2) = turned(real[n + 2], imaginary[n + 2], after[n + 2])
      unsafe (first.3, second.3) = turned(real[n + 3], imaginary[n + 3], after[n + 3])
      let (low, high) = (
        Transposed(first.0, first.1, first.2, first.3), Transposed(second.0, second.1, second.2, second.3)
      )
      for lane in 0..<4 {
        unsafe target.store(low[lane], lane * length + n)
        unsafe target.store(high[lane], lane * length + bands + n)
      }
    }
  }

  @inline(__always)
  private func turned(
    _ r: SIMD4<Float>, _ i: SIMD4<Float>, _ factor: SIMD2<Float>
  ) -> (SIMD4<Float>, SIMD4<Float>) {
    // Moved as bit patterns afterwards: see Vectors.swift.
    (r * factor.x - i * factor.y, -(r * factor.y + i * factor.x))
  }

  /// Adds up ten slots under the window: of every second one the first half, of the others the second.
  private func addUp(_ slots: AlignedMemory<Float>, slot: Int, to samples: AlignedMemory<Float>) {
    let length = 2 * bands
    let newest = QMFSynthesis.overlap + slot
    let source = unsafe slots.pointer(at: slot * length, count: (QMFSynthesis.overlap + 1) * length)
    let (window, output) = unsafe (window.start, samples.pointer(at: slot * bands, count: bands))
    for index in stride(from: 0, to: bands, by: 4) {
      var sum = SIMD4<Float>.zero
      for pair in 0..<5 {
        let age = (newest - slot - 2 * pair) * length
        unsafe sum += source.vector(age + index) * window.vector(length * pair + index)
        unsafe sum += source.vector(age - bands + index) * window.vector(length * pair + bands + index)
      }
      unsafe output.store(sum, index)
    }
  }
}
