/// Four vectors as the columns of a matrix whose rows are four others.
struct Transposed {
  let rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

  @inline(__always)
  init(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>) {
    let (ac, bd) = (SIMD4<Float>.lowInterleaved(a, c), SIMD4<Float>.lowInterleaved(b, d))
    let (ca, db) = (SIMD4<Float>.highInterleaved(a, c), SIMD4<Float>.highInterleaved(b, d))
    rows = (.lowInterleaved(ac, bd), .highInterleaved(ac, bd), .lowInterleaved(ca, db), .highInterleaved(ca, db))
  }

  /// Transposes four vectors that lie `stride` vectors apart.
  @inline(__always)
  init(_ columns: UnsafeMutablePointer<SIMD4<Float>>, stride: Int) {
    unsafe self.init(columns[0], columns[stride], columns[2 * stride], columns[3 * stride])
  }

  /// A row, 0 to 3.
  @inline(__always)
  subscript(_ row: Int) -> SIMD4<Float> {
    switch row {
    case 0: rows.0
    case 1: rows.1
    case 2: rows.2
    default: rows.3
    }
  }
}
