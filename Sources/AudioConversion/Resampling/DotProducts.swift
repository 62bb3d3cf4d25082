/// Where the coefficients of four outputs begin in a table, in floats.
struct FourRows {
  var first = 0
  var second = 0
  var third = 0
  var fourth = 0
}

extension RawSpan {
  /// Four floats from a byte offset on. The caller has checked that they lie inside.
  @unsafe @inline(__always)
  func vector(at offset: Int) -> SIMD4<Float> {
    unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<Float>.self)
  }
}

/// Sums of products of coefficients and sound, for four outputs at a time: what converting a rate spends its time on.
///
/// Each vector of sound that is loaded serves four rows of coefficients, and each vector of coefficients two channels,
/// which matters as the processor can multiply and add faster than it can load. Eight independent sums hide how long
/// an addition takes.
enum DotProducts {
  /// Four outputs of two channels.
  ///
  /// - Parameters:
  ///   - table: the coefficients.
  ///   - rows: where those of each output begin.
  ///   - sound: the samples of all channels.
  ///   - left, right: where those of each channel begin, in floats.
  ///   - count: how many floats of each, a multiple of 4.
  @inline(__always)
  static func ofTwo(
    table: RawSpan, rows: FourRows, sound: RawSpan, left: Int, right: Int, count: Int
  ) -> (SIMD4<Float>, SIMD4<Float>) {
    check(table, rows, count)
    check(sound, left, count)
    check(sound, right, count)
    var (a0, a1, a2, a3) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (b0, b1, b2, b3) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var offset = 0
    while offset < count &* 4 {
      let a = unsafe sound.vector(at: left &* 4 &+ offset)
      let b = unsafe sound.vector(at: right &* 4 &+ offset)
      var row = unsafe table.vector(at: rows.first &* 4 &+ offset)
      a0 += row * a
      b0 += row * b
      row = unsafe table.vector(at: rows.second &* 4 &+ offset)
      a1 += row * a
      b1 += row * b
      row = unsafe table.vector(at: rows.third &* 4 &+ offset)
      a2 += row * a
      b2 += row * b
      row = unsafe table.vector(at: rows.fourth &* 4 &+ offset)
      a3 += row * a
      b3 += row * b
      offset &+= 16
    }
    return (sums(a0, a1, a2, a3), sums(b0, b1, b2, b3))
  }

  /// Four outputs of one channel; parameters as above.
  @inline(__always)
  static func ofOne(table: RawSpan, rows: FourRows, sound: RawSpan, at start: Int, count: Int) -> SIMD4<Float> {
    check(table, rows, count)
    check(sound, start, count)
    var (a0, a1, a2, a3) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (b0, b1, b2, b3) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var offset = 0
    let pairs = count &* 4 & ~31
    while offset < pairs {
      let a = unsafe sound.vector(at: start &* 4 &+ offset)
      let b = unsafe sound.vector(at: start &* 4 &+ offset &+ 16)
      unsafe a0 += table.vector(at: rows.first &* 4 &+ offset) * a
      unsafe b0 += table.vector(at: rows.first &* 4 &+ offset &+ 16) * b
      unsafe a1 += table.vector(at: rows.second &* 4 &+ offset) * a
      unsafe b1 += table.vector(at: rows.second &* 4 &+ offset &+ 16) * b
      unsafe a2 += table.vector(at: rows.third &* 4 &+ offset) * a
      unsafe b2 += table.vector(at: rows.third &* 4 &+ offset &+ 16) * b
      unsafe a3 += table.vector(at: rows.fourth &* 4 &+ offset) * a
      unsafe b3 += table.vector(at: rows.fourth &* 4 &+ offset &+ 16) * b
      offset &+= 32
    }
    if offset < count &* 4 {
      let a = unsafe sound.vector(at: start &* 4 &+ offset)
      unsafe a0 += table.vector(at: rows.first &* 4 &+ offset) * a
      unsafe a1 += table.vector(at: rows.second &* 4 &+ offset) * a
      unsafe a2 += table.vector(at: rows.third &* 4 &+ offset) * a
      unsafe a3 += table.vector(at: rows.fourth &* 4 &+ offset) * a
    }
    return sums(a0 + b0, a1 + b1, a2 + b2, a3 + b3)
  }

  /// Checks once what the loops rely on.
  @inline(__always)
  private static func check(_ span: RawSpan, _ start: Int, _ count: Int) {
    precondition(start >= 0 && count >= 0 && start <= span.byteCount / 4 &- count)
  }

  @inline(__always)
  private static func check(_ table: RawSpan, _ rows: FourRows, _ count: Int) {
    check(table, rows.first, count)
    check(table, rows.second, count)
    check(table, rows.third, count)
    check(table, rows.fourth, count)
  }

  /// The sum of the elements of each of four vectors.
  @inline(__always)
  private static func sums(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>
  ) -> SIMD4<Float> {
    // Each is added up in halves, two vectors beside each other; then these are.
    let (ab, cd) = (halves(a, b), halves(c, d))
    let low = SIMD4<UInt32>(ab.x, ab.y, cd.x, cd.y)
    let high = SIMD4<UInt32>(ab.z, ab.w, cd.z, cd.w)
    return SIMD4<Float>(words: low) + SIMD4<Float>(words: high)
  }

  @inline(__always)
  private static func halves(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<UInt32> {
    let (a, b) = (a.words, b.words)
    let low = SIMD4<Float>(words: SIMD4<UInt32>(a.x, b.x, a.y, b.y))
    let high = SIMD4<Float>(words: SIMD4<UInt32>(a.z, b.z, a.w, b.w))
    return (low + high).words
  }
}

extension SIMD4<Float> {
  /// The vector of these bit patterns. Computed values that are then rearranged are moved as bit patterns: otherwise
  /// the compiler would compute them one by one.
  @inline(__always)
  init(words: SIMD4<UInt32>) { self = unsafe unsafeBitCast(words, to: SIMD4<Float>.self) }

  /// The bit patterns.
  @inline(__always)
  var words: SIMD4<UInt32> { unsafe unsafeBitCast(self, to: SIMD4<UInt32>.self) }
}
