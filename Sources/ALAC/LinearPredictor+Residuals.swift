// The other way: from samples to residuals, for the encoder. What comes before a sample is known from the start, so only
// the coefficients wait for one another.

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
    unsafe eightResiduals(samples, to: residuals, count: count)
  }

  /// Of five to eight coefficients.
  private func eightResiduals(
    _ samples: UnsafePointer<Int32>, to residuals: UnsafeMutablePointer<Int32>, count: Int
  ) {
    let (order, shift, spare) = (coefficients.count, shift, Int32(32 - width))
    let (half, shifts) = (1 &<< (shift &- 1) as Int32, SIMD4(repeating: shift))
    var index = order + 1
    var old = unsafe Taps(coefficients, newest: 4, samples: samples + index)
    var new = unsafe Taps(coefficients, newest: 0, samples: samples + index)
    while index < count {
      let (base, sample) = unsafe (samples[index &- order &- 1], samples[index])
      let (older, newer) = (SIMD4(repeating: base) &- old.samples, SIMD4(repeating: base) &- new.samples)
      let sum = half &- Int32(truncatingIfNeeded: old.products(older) &+ new.products(newer))
      let residual = ((sample &- base &- sum &>> shift) &<< spare) &>> spare
      unsafe residuals[index] = residual
      index &+= 1
      let sign = SIMD4(repeating: residual &>> 31)
      let (first, second) = (old.effects(older, sign, shifts), new.effects(newer, sign, shifts))
      let before = Taps.sumsBefore(first)
      let rest = SIMD4(repeating: residual)
      old.step(older, sign, rest: rest &- before)
      let all = SIMD4(repeating: before.w &+ first.w)
      new.step(newer, sign, rest: rest &- all &- Taps.sumsBefore(second))
      old.samples = SIMD4(old.samples.y, old.samples.z, old.samples.w, new.samples.x)
      new.samples = SIMD4(new.samples.y, new.samples.z, new.samples.w, sample)
    }
  }
}
