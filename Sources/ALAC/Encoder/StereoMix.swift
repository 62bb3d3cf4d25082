/// Chooses what a pair of channels is written as.
enum StereoMix {
  /// Bits of the weights of a pair's mean.
  static let shift: Int32 = 2

  /// A weighted mean and the difference, or the two as they are: whichever has the smallest second differences, which
  /// is about what prediction leaves. Apart from rounding, the second differences of a mean are the mean of the
  /// channels' second differences.
  ///
  /// - Returns: the weight of the left one in quarters, 0 for as they are.
  static func weight(_ left: UnsafePointer<Int32>, _ right: UnsafePointer<Int32>, count: Int) -> Int32 {
    guard count > 10 else { return 0 }
    var sums = [UInt64](repeating: 1, count: 6)
    var index = 2
    while index &+ 8 <= count {
      // A stretch whose sums fit 32 bits: differences of 21 bits have second ones of 23.
      let end = min(index &+ 8 &* 256, count &- 7)
      var (one, two, three, mean, half, most) = (
        SIMD8<UInt32>.zero, SIMD8<UInt32>.zero, SIMD8<UInt32>.zero, SIMD8<UInt32>.zero, SIMD8<UInt32>.zero,
        SIMD8<UInt32>.zero
      )
      while index < end {
        let (l, r) = unsafe (second(left, at: index), second(right, at: index))
        let difference = l &- r
        one = one &+ size(l)
        two = two &+ size(r)
        three = three &+ size(difference)
        mean = mean &+ size(r &+ difference &>> 2)
        half = half &+ size(r &+ difference &>> 1)
        most = most &+ size(l &- difference &>> 2)
        index &+= 8
      }
      for (number, sum) in [one, two, three, mean, half, most].enumerated() {
        for lane in 0..<8 { sums[number] += UInt64(sum[lane]) }
      }
    }
    let bits = sums.map(StereoMix.bits)
    let sizes = [bits[0] + bits[1], bits[2] + bits[3], bits[2] + bits[4], bits[2] + bits[5], bits[2] + bits[0]]
    return Int32(sizes.indices.min { sizes[$0] < sizes[$1] } ?? 0)
  }

  /// Second differences of eight samples.
  @inline(__always)
  private static func second(_ samples: UnsafePointer<Int32>, at index: Int) -> SIMD8<Int32> {
    let start = unsafe UnsafeRawPointer(samples + index)
    let (now, one, two) = unsafe (
      start.loadUnaligned(as: SIMD8<Int32>.self), (start - 4).loadUnaligned(as: SIMD8<Int32>.self),
      (start - 8).loadUnaligned(as: SIMD8<Int32>.self)
    )
    return now &- one &- one &+ two
  }

  @inline(__always)
  private static func size(_ numbers: SIMD8<Int32>) -> SIMD8<UInt32> {
    let sign = numbers &>> 31
    return SIMD8<UInt32>(truncatingIfNeeded: (numbers ^ sign) &- sign)
  }

  /// The logarithm of a sum, in 1/256 of a bit: the leading bit, and what follows it.
  private static func bits(_ sum: UInt64) -> Int {
    let top = 63 - sum.leadingZeroBitCount
    return top << 8 + Int(truncatingIfNeeded: (sum << UInt64(63 - top)) >> 55 & 0xFF)
  }

  /// Replaces a pair by its mean and its difference.
  static func mix(
    _ left: UnsafePointer<Int32>, _ right: UnsafePointer<Int32>, weight: Int32, mean: UnsafeMutablePointer<Int32>,
    difference: UnsafeMutablePointer<Int32>, count: Int
  ) {
    for index in 0..<count {
      let rest = unsafe left[index] &- right[index]
      unsafe mean[index] = right[index] &+ (rest &* weight) &>> shift
      unsafe difference[index] = rest
    }
  }
}
