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
  /// Samples on either side of the middle that are read. A multiple of 4, less one.
  static let reach = 63

  private static let shape = 7.857

  /// The coefficients at odd distances from the middle: 1, 3, ... 63.
  private let coefficients: [Float]

  init() {
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
  /// - Parameters:
  ///   - input: from the sample that the first output is at; also read are `reach` samples before it, and as many after
  ///   the last one.
  ///   - output: gets the samples.
  ///   - count: how many.
  func run(_ input: MemoryPart<Float>, to output: MemoryPart<Float>, count: Int) {
    let reach = HalfBandFilter.reach
    let source = unsafe (input + -reach).pointer(count: 2 * count + 2 * reach) + reach
    let target = unsafe output.pointer(count: count)
    for index in 0..<count {
      let middle = unsafe source + 2 * index
      var (sum, distance) = (unsafe 0.5 * middle[0], 1)
      for coefficient in coefficients {
        unsafe sum += coefficient * (middle[distance] + middle[-distance])
        distance &+= 2
      }
      unsafe target[index] = sum
    }
  }
}
