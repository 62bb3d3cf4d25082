#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// Finds coefficients for the predictor of a channel.
struct PredictionAnalysis {
  /// Bits of the fraction of a coefficient.
  static let shift: Int32 = 9
  /// Coefficients of each channel: a number for which there is fast code, in decoders too. Fewer predict music worse,
  /// and the few bits that leaving some out would save are not worth the search.
  static let order = 6

  /// The window of a full packet.
  private let window: [Double]
  private var windowed: [Double]

  /// - Parameter frameLength: the most samples that there are to be analysed.
  init(frameLength: Int) {
    window = PredictionAnalysis.window(frameLength)
    windowed = window
  }

  /// Fades in and out.
  private static func window(_ count: Int) -> [Double] {
    let middle = Double(count - 1) / 2
    return (0..<count).map { index in
      let place = (Double(index) - middle) / (middle + 1)
      return 1 - place * place
    }
  }

  /// Coefficients, newest sample first; none where there are too few samples to predict.
  ///
  /// From the correlation of the samples with themselves, under a window that fades in and out, by Levinson and
  /// Durbin's recursion.
  mutating func coefficients(_ samples: UnsafePointer<Int32>, count: Int) -> [Int32] {
    let order = PredictionAnalysis.order
    guard count > 2 * order + 4 else { return [] }
    let correlation = unsafe correlation(samples, count: count)
    var (weights, error): ([Double], Double) = ([], correlation[0])
    for order in 1...order {
      var sum = correlation[order]
      for (tap, weight) in weights.enumerated() { sum -= weight * correlation[order - 1 - tap] }
      let reflection = error > 0 ? sum / error : 0
      weights = weights.indices.map { weights[$0] - reflection * weights[order - 2 - $0] } + [reflection]
      error *= 1 - reflection * reflection
    }
    // What is saved has to be more than the coefficients take: half a bit of each sample when the error is halved.
    let saved = Double(count) / 2 * log2(correlation[0] / max(error, 1e-9))
    guard saved > Double(16 * order) else { return [] }
    return weights.map { weight in
      Int32(max(min((weight * Double(1 << PredictionAnalysis.shift)).rounded(), 32_767), -32_768))
    }
  }

  /// Sums of the products of samples that are so far apart: none, one, and so on up to the order.
  private mutating func correlation(_ samples: UnsafePointer<Int32>, count: Int) -> [Double] {
    let order = PredictionAnalysis.order
    let window = count == window.count ? window : PredictionAnalysis.window(count)
    // No more samples than the window of a full packet has places.
    return unsafe windowed.withUnsafeMutableBufferPointer { windowed in
      for index in 0..<count { unsafe windowed[index] = Double(samples[index]) * window[index] }
      var (none, one, three, five) = (1.0, SIMD2<Double>.zero, SIMD2<Double>.zero, SIMD2<Double>.zero)
      let start = unsafe UnsafeRawPointer(windowed.baseAddress.unsafelyUnwrapped)
      for index in order..<count {
        let sample = unsafe windowed[index]
        let pair = SIMD2(repeating: sample)
        none += sample * sample
        unsafe one += pair * start.loadUnaligned(fromByteOffset: 8 &* (index &- 2), as: SIMD2<Double>.self)
        unsafe three += pair * start.loadUnaligned(fromByteOffset: 8 &* (index &- 4), as: SIMD2<Double>.self)
        unsafe five += pair * start.loadUnaligned(fromByteOffset: 8 &* (index &- 6), as: SIMD2<Double>.self)
      }
      // The first samples have fewer before them; the window makes them small.
      return [none, one.y, one.x, three.y, three.x, five.y, five.x]
    }
  }
}
