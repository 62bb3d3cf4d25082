/// The coefficients of a filter for each position that an output can have between two inputs.
///
/// A ratio `up / down` in lowest terms knows `up` positions. A row holds the coefficients for one of them, and the rows
/// are in the order in which outputs need them: output n takes row `n mod up`. Where that would be too many, rows stand
/// at finer steps than the filter's response turns, and the coefficients between them are computed.
struct PhaseTable: Sendable {
  /// Coefficients of a row that are not padding.
  let taps: Int
  /// Zeros before the coefficients of a row, so that outputs with different first inputs can be computed over one
  /// stretch of input: what they do not need counts nothing.
  let padding: Int
  /// Floats from one row to the next.
  let stride: Int
  /// Whether rows have to be computed between those of the table.
  let isInterpolated: Bool
  /// All rows.
  let coefficients: [Float]

  /// The most coefficients of an exact table: one MiB, so that it stays in the processor's cache.
  private static let maximumCount = 1 << 18
  /// Steps between two inputs of a table to be interpolated. What a cubic through four points misses of a wave of
  /// frequency w, in radians, is at most `3 / 128 * (w / steps) ** 4` of it: at the highest, pi, 1.4e-7 or -137 dB.
  private static let steps = 64

  /// A table for outputs whose positions advance by `down / up`.
  ///
  /// - Parameter shift: the most inputs by which outputs that are computed together may lie apart.
  init(_ filter: LowPassFilter, up: Int, down: Int, shift: Int) {
    let half = max(Int(filter.halfWidth.rounded(.up)), 1)
    taps = 2 * half
    padding = shift
    // Vectors of four may reach three coefficients further than they need to.
    stride = (2 * shift + taps + 3 + 3) / 4 * 4
    isInterpolated = up > PhaseTable.maximumCount / stride
    let count = isInterpolated ? PhaseTable.steps + 3 : up
    var coefficients = [Float](repeating: 0, count: count * stride)
    for row in 0..<count {
      let phase =
        isInterpolated
        ? Double(row - 1) / Double(PhaseTable.steps)
        : Double(PhaseTable.remainder(of: row, times: down, over: up)) / Double(up)
      // Input k of a row lies `k - half + 1` after the one that the output follows.
      let values = (0..<taps).map { filter[Double($0 - half + 1) - phase] }
      // A constant input gives the same constant at each position: otherwise there would be images of 0 Hz.
      let sum = values.reduce(0, +)
      for (tap, value) in values.enumerated() { coefficients[row * stride + shift + tap] = Float(value / sum) }
    }
    self.coefficients = coefficients
  }

  /// Rates are below 2^21, and so are both numbers: the product fits.
  private static func remainder(of row: Int, times down: Int, over up: Int) -> Int { row * (down % up) % up }

  /// Computes the row of a position, in inputs from 0 to below 1, in memory that has room for one from `start` on.
  func interpolate(at position: Double, to row: inout [Float], start: Int) {
    let place = position * Double(PhaseTable.steps)
    let step = min(Int(place), PhaseTable.steps - 1)
    // Lagrange's weights of four points, the second of which is `step`; the table begins one before 0.
    let t = place - Double(step)
    let weights = (
      SIMD4<Float>(repeating: Float(-t * (t - 1) * (t - 2) / 6)),
      SIMD4<Float>(repeating: Float((t + 1) * (t - 1) * (t - 2) / 2)),
      SIMD4<Float>(repeating: Float(-(t + 1) * t * (t - 2) / 2)),
      SIMD4<Float>(repeating: Float((t + 1) * t * (t - 1) / 6))
    )
    // Floats have no padding: all of their bytes are initialised, and any bytes are floats.
    let table = unsafe coefficients.span.bytes
    var target = row.mutableSpan
    var bytes = unsafe target.mutableBytes
    let (first, size) = (step * stride * 4, stride * 4)
    precondition(step >= 0 && first + 4 * size <= table.byteCount)
    precondition(start >= 0 && (start + stride) * 4 <= bytes.byteCount)
    var (from, to) = (first, start * 4)
    let end = first + size
    while from < end {
      // Rows are whole vectors, and four of them begin at `first`.
      var sum = unsafe weights.0 * table.vector(at: from)
      unsafe sum += weights.1 * table.vector(at: from &+ size)
      unsafe sum += weights.2 * table.vector(at: from &+ 2 &* size)
      unsafe sum += weights.3 * table.vector(at: from &+ 3 &* size)
      unsafe bytes.storeBytes(of: sum, toUncheckedByteOffset: to, as: SIMD4<Float>.self)
      from &+= 16
      to &+= 16
    }
  }
}
