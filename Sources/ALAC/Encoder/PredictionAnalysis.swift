/// Finds coefficients for the predictor of a channel, and what it leaves.
enum PredictionAnalysis {
  /// Bits of the fraction of a coefficient.
  static let shift: Int32 = 9
  /// Numbers of coefficients that are tried.
  static let orders = [4, 6, 8]
  private static let maximumOrder = 8

  /// Coefficients for each order that is tried, newest sample first; none where there is nothing to predict.
  ///
  /// From the correlation of the samples with themselves, under a window that fades in and out, by Levinson and Durbin's
  /// recursion, which passes through all orders on its way.
  static func coefficients(_ samples: [Int32]) -> [[Int32]] {
    guard samples.count > 2 * maximumOrder else { return [] }
    let middle = Double(samples.count - 1) / 2
    let windowed = samples.indices.map { index in
      let place = (Double(index) - middle) / (middle + 1)
      return Double(samples[index]) * (1 - place * place)
    }
    let correlation = (0...maximumOrder).map { lag in
      var sum = lag == 0 ? 1.0 : 0
      for index in lag..<windowed.count { sum += windowed[index] * windowed[index - lag] }
      return sum
    }
    var (weights, error, found): ([Double], Double, [[Int32]]) = ([], correlation[0], [])
    for order in 1...maximumOrder {
      var sum = correlation[order]
      for (tap, weight) in weights.enumerated() { sum -= weight * correlation[order - 1 - tap] }
      let reflection = error > 0 ? sum / error : 0
      weights = weights.indices.map { weights[$0] - reflection * weights[order - 2 - $0] } + [reflection]
      error *= 1 - reflection * reflection
      guard orders.contains(order) else { continue }
      found.append(
        weights.map { weight in
          Int32(max(min((weight * Double(1 << shift)).rounded(), 32_767), -32_768))
        })
    }
    return found
  }

  /// What prediction leaves of samples: the reverse of `LinearPredictor.run`, step by step.
  static func residuals(_ samples: [Int32], _ coefficients: [Int32], width: Int) -> [Int32] {
    let (order, spare) = (coefficients.count, Int32(32 - width))
    var residuals = samples
    for index in samples.indices.dropFirst() {
      residuals[index] = ((samples[index] &- samples[index - 1]) &<< spare) &>> spare
    }
    guard samples.count > order + 1 else { return residuals }
    var weights = Array(coefficients.reversed())
    for index in (order + 1)..<samples.count {
      let base = samples[index - order - 1]
      var sum: Int32 = 1 << (shift - 1)
      for tap in 0..<order { sum = sum &+ weights[tap] &* (samples[index - order + tap] &- base) }
      var rest = ((samples[index] &- base &- sum >> shift) &<< spare) &>> spare
      residuals[index] = rest
      let direction = rest.signum()
      var tap = 0
      while tap < order, rest &* direction > 0 {
        let difference = base &- samples[index - order + tap]
        let step = difference.signum() &* direction
        weights[tap] = Int32(Int16(truncatingIfNeeded: weights[tap] &- step))
        rest = rest &- (difference &* step) >> shift &* Int32(tap + 1)
        tap += 1
      }
    }
    return residuals
  }
}
