#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Halves the sampling rate: keeps the lower half of the spectrum, and every second sample of it.
///
/// A half-band filter passes as much below a quarter of the rate as it stops above it, so every second coefficient but
/// the middle one is 0. The window (Kaiser) decides how steep it is and how much of the upper half folds down: here the
/// transition is a twenty-fifth of the rate wide, and what folds from beyond it is 80 dB down.
final class HalfBandFilter {
  /// Samples on either side of the middle that are read. A multiple of 8, less one: those at odd distances are taken
  /// four at a time.
  static let reach = 63

  private static let shape = 7.857

  /// The coefficients at odd distances from the middle: 1, 3, ... 63.
  private let coefficients: [Float]
  /// How many samples come out at a time.
  private let count: Int
  /// The input's samples at odd times.
  private let odd: AlignedMemory<Float>

  /// - Parameter count: how many samples come out at a time.
  init(count: Int) {
    self.count = count
    odd = AlignedMemory(count + HalfBandFilter.reach)
    let half = Double(HalfBandFilter.reach + 1)
    coefficients = stride(from: 1, through: HalfBandFilter.reach, by: 2).map { distance in
      let x = Double(distance)
      let part = 1 - (x / half) * (x / half)
      let window =
        WindowShape.bessel(HalfBandFilter.shape * part.squareRoot()) / WindowShape.bessel(HalfBandFilter.shape)
      return Float(sin(.pi * x / 2) / (.pi * x) * window)
    }
  }

  /// Filters: output `n` is at the time of input `2n`.
  ///
  /// Each group of four coefficients is applied to all outputs before the next group, so that neighbouring outputs take
  /// the same steps and can be vectorised.
  ///
  /// - Parameters:
  ///   - input: from the sample that the first output is at; also read are `reach` samples before it, and as many after
  ///   the last one.
  ///   - output: gets the samples.
  func run(_ input: MemoryPart<Float>, to output: MemoryPart<Float>) {
    let (reach, count) = (HalfBandFilter.reach, count)
    let source = unsafe (input + -reach).pointer(count: 2 * count + 2 * reach)
    let (odd, target) = unsafe (odd.pointer(at: 0, count: count + reach), output.pointer(count: count))
    for index in 0..<(count + reach) { unsafe odd[index] = source[2 * index] }
    for index in 0..<count { unsafe target[index] = 0.5 * source[2 * index + reach] }
    for first in stride(from: 0, to: coefficients.count, by: 4) {
      let (a, b) = (coefficients[first], coefficients[first + 1])
      let (c, d) = (coefficients[first + 2], coefficients[first + 3])
      // Output n is between the samples n + 31 and n + 32 at odd times.
      let (after, before) = unsafe (odd + 32 + first, odd + 31 - first)
      var index = 0
      while index < count {
        var sum = unsafe target[index] + a * (after[index] + before[index])
        unsafe sum += b * (after[index &+ 1] + before[index &- 1])
        unsafe sum += c * (after[index &+ 2] + before[index &- 2])
        unsafe sum += d * (after[index &+ 3] + before[index &- 3])
        unsafe target[index] = sum
        index &+= 1
      }
    }
  }
}
