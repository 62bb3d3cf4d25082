// Vectors and their bit patterns have the same size, and any bits are a value of either.

extension SIMD2<Float> {
  /// The vector of these bit patterns.
  @inline(__always)
  init(_ words: SIMD2<UInt32>) { self = unsafe unsafeBitCast(words, to: SIMD2<Float>.self) }

  /// The bit patterns.
  @inline(__always)
  var words: SIMD2<UInt32> { unsafe unsafeBitCast(self, to: SIMD2<UInt32>.self) }
}

extension SIMD4<Float> {
  /// The vector of these bit patterns. Computed values that are then rearranged are moved as bit patterns: otherwise
  /// the compiler would compute them one by one.
  @inline(__always)
  init(_ words: SIMD4<UInt32>) { self = unsafe unsafeBitCast(words, to: SIMD4<Float>.self) }

  /// The bit patterns.
  @inline(__always)
  var words: SIMD4<UInt32> { unsafe unsafeBitCast(self, to: SIMD4<UInt32>.self) }

  /// The sum of the elements, from the first to the last: the library's `sum()`, which without optimisation calls a
  /// function for each of them.
  @inline(__always)
  var total: Float { x + y + z + w }

  /// The largest element, none of which is NaN.
  @inline(__always)
  var largest: Float {
    let (a, b) = (x > z ? x : z, y > w ? y : w)
    return a > b ? a : b
  }

  /// The elements from last to first.
  @inline(__always)
  var reversed: SIMD4<Float> { SIMD4(w, z, y, x) }

  /// `x0 y0 x1 y1` of two vectors.
  @inline(__always)
  static func lowInterleaved(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
    let (a, b) = (a.words, b.words)
    return SIMD4<Float>(SIMD4<UInt32>(a.x, b.x, a.y, b.y))
  }

  /// `x2 y2 x3 y3` of two vectors.
  @inline(__always)
  static func highInterleaved(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
    let (a, b) = (a.words, b.words)
    return SIMD4<Float>(SIMD4<UInt32>(a.z, b.z, a.w, b.w))
  }
}

extension SIMD16<Float> {
  /// The smallest element, like that of eight.
  @inline(__always)
  var smallest: Float { lowHalf.replacing(with: highHalf, where: highHalf .< lowHalf).smallest }
}

extension SIMD8<Float> {
  /// The sum of the elements, like that of four.
  @inline(__always)
  var total: Float { self[0] + self[1] + self[2] + self[3] + self[4] + self[5] + self[6] + self[7] }

  /// The smallest element, none of which is NaN.
  @inline(__always)
  var smallest: Float {
    let (a, b) = (self[4] < self[0] ? self[4] : self[0], self[5] < self[1] ? self[5] : self[1])
    let (c, d) = (self[6] < self[2] ? self[6] : self[2], self[7] < self[3] ? self[7] : self[3])
    let (x, y) = (a < c ? a : c, b < d ? b : d)
    return x < y ? x : y
  }
}
