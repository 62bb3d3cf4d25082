/// Turns residuals into samples.
///
/// A sample is predicted from up to 30 before it, relative to the one before those: their differences from it are
/// weighted by coefficients in fixed point. The coefficients at the start are in the packet; then each sample moves
/// them a step in the direction that would have made the residual smaller, oldest first, until the steps together would
/// have made up for it. So the decoder, which sees the same residuals as the encoder, makes the same steps.
///
/// Source: Apple Lossless Audio Codec, dynamic predictor (sign LMS).
struct LinearPredictor {
  /// For each sample before, the newest first.
  var coefficients: [Int32]
  /// Bits of the fraction of a coefficient, 1 to 15.
  let shift: Int32
  /// Bits of a sample, 1 to 32: sums wrap around at them.
  let width: Int

  /// An order that means no coefficients: a sample is the one before it and the residual.
  static let differences = 31
  /// Up to so many coefficients there is a faster way.
  private static let vectorOrder = 8

  /// Replaces residuals by samples.
  ///
  /// - Parameter samples: `count` residuals.
  func run(_ samples: UnsafeMutablePointer<Int32>, count: Int) {
    let order = coefficients.count
    guard order > 0, count > 1 else { return }
    unsafe LinearPredictor.sum(samples, count: min(order + 1, count), width: width)
    guard count > order + 1 else { return }
    if order <= 4 {
      unsafe runFour(samples, count: count)
    } else if order <= LinearPredictor.vectorOrder {
      unsafe runEight(samples, count: count)
    } else {
      unsafe runAny(samples, count: count)
    }
  }

  /// Replaces differences by samples: adds each to the sum of those before.
  static func sum(_ samples: UnsafeMutablePointer<Int32>, count: Int, width: Int) {
    let spare = Int32(32 - width)
    var last = unsafe samples[0]
    var index = 1
    while index < count {
      unsafe last = ((last &+ samples[index]) &<< spare) &>> spare
      unsafe samples[index] = last
      index &+= 1
    }
  }

  /// Any number of coefficients: from the first sample with so many before it, and one more.
  private func runAny(_ samples: UnsafeMutablePointer<Int32>, count: Int) {
    let (order, shift, spare) = (coefficients.count, shift, Int32(32 - width))
    // Oldest first, as the samples are.
    var weights = Array(coefficients.reversed())
    unsafe weights.withUnsafeMutableBufferPointer { weights in
      for index in (order + 1)..<count {
        let before = unsafe UnsafePointer(samples + (index &- order))
        let base = unsafe before[-1]
        var sum: Int32 = 0
        for tap in 0..<order { unsafe sum = sum &+ weights[tap] &* (before[tap] &- base) }
        var rest = unsafe samples[index]
        let sample = (sum &+ 1 &<< (shift &- 1)) &>> shift &+ base &+ rest
        unsafe samples[index] = (sample &<< spare) &>> spare
        let direction = rest.signum()
        var tap = 0
        while tap < order, rest &* direction > 0 {
          let difference = unsafe base &- before[tap]
          let step = difference.signum() &* direction
          // Coefficients have 16 bits, and wrap around at them.
          unsafe weights[tap] = Int32(Int16(truncatingIfNeeded: weights[tap] &- step))
          rest = rest &- (difference &* step) &>> shift &* Int32(truncatingIfNeeded: tap &+ 1)
          tap &+= 1
        }
      }
    }
  }
}
