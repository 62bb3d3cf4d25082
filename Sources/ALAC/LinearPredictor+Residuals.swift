// The other way: from samples to residuals, for the encoder. What comes before a sample is known from the start, so
// only the coefficients wait for one another.

extension LinearPredictor {
  /// Writes what prediction leaves of samples, which `run` makes samples of again: with no coefficients, or five to
  /// eight of them.
  ///
  /// - Parameters:
  ///   - samples: `count` of them.
  ///   - residuals: room for as many.
  func residuals(_ samples: UnsafePointer<Int32>, to residuals: UnsafeMutablePointer<Int32>, count: Int) {
    let (order, spare) = (coefficients.count, Int32(32 - width))
    precondition(order == 0 || (5...8).contains(order))
    guard count > 0 else { return }
    unsafe residuals[0] = samples[0]
    guard order > 0 else {
      for index in 1..<max(count, 1) { unsafe residuals[index] = samples[index] }
      return
    }
    for index in 1..<max(min(order + 1, count), 1) {
      unsafe residuals[index] = ((samples[index] &- samples[index - 1]) &<< spare) &>> spare
    }
    guard count > order + 1 else { return }
    var index = order + 1
    var taps = unsafe EightTaps(self, samples: samples + index)
    while index < count {
      let (base, sample) = unsafe (samples[index &- order &- 1], samples[index])
      let residual = ((sample &- base &- taps.prediction(from: base)) &<< spare) &>> spare
      unsafe residuals[index] = residual
      index &+= 1
      taps.adapt(to: residual, base: base, sample: sample)
    }
  }
}
