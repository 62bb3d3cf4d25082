#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The impulse response of a low-pass filter, as a function of continuous time: a sinc under Kaiser's window.
///
/// Times are in samples of the input, frequencies in cycles for each of them. Between phases of a rational ratio, only
/// the times differ at which this function is sampled.
///
/// Source: J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function", 1974.
struct LowPassFilter {
  /// The response is zero beyond this time, before and after.
  let halfWidth: Double
  private let cutoff: Double
  private let beta: Double
  private let scale: Double

  /// A filter from what it lets through and what it stops.
  ///
  /// - Parameters:
  ///   - pass: the end of the pass-band.
  ///   - stop: the beginning of the stop-band.
  ///   - attenuation: of the stop-band, in dB, from 60 on.
  ///   - isTight: whether the response may have fallen by 0.01 dB at the end of the pass-band. Kaiser's filters are as
  ///   precise there as in the stop-band, which nobody needs: a filter whose nominal pass-band ends earlier gets by
  ///   with a tenth fewer taps.
  init(pass: Double, stop: Double, attenuation: Double, isTight: Bool) {
    // The part of the way from the cutoff to the nominal end of the pass-band at which 0.01 dB are missing: measured,
    // for 126 dB; for 98 dB it is 0.04 dB.
    let share = isTight ? 0.768 : 1
    let halfTransition = (stop - pass) / (1 + share)
    cutoff = stop - halfTransition
    beta = 0.1102 * (attenuation - 8.7)
    halfWidth = (attenuation - 7.95) / (2.285 * 2 * Double.pi * 2 * halfTransition) / 2
    scale = 1 / LowPassFilter.bessel(beta)
  }

  /// The response at a time.
  subscript(time: Double) -> Double {
    let place = time / halfWidth
    guard abs(place) < 1 else { return 0 }
    let window = LowPassFilter.bessel(beta * (1 - place * place).squareRoot()) * scale
    let angle = 2 * Double.pi * cutoff * time
    return 2 * cutoff * window * (abs(angle) < 1e-9 ? 1 : sin(angle) / angle)
  }

  /// The modified Bessel function of the first kind and order 0: a series whose terms all have one sign.
  private static func bessel(_ argument: Double) -> Double {
    let square = argument * argument / 4
    var (sum, term, index) = (1.0, 1.0, 1.0)
    // Arguments are below 20, where terms shrink from the tenth on: some 50 of them count.
    while term > sum * 1e-17, index < 200 {
      term *= square / (index * index)
      sum += term
      index += 1
    }
    return sum
  }
}
