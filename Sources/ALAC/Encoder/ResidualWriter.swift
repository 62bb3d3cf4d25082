/// Writes residuals in the code that `ResidualReader` describes.
struct ResidualWriter {
  private let multiplier: UInt32
  private let initialMean: UInt32
  private let limit: Int
  /// For each number of low bits k, 2^32 / (2^k - 1), rounded up: multiplying by it gives the quotient in the upper
  /// half, for all numbers below nine times the divisor. Without low bits the divisor is 1.
  private let reciprocals: [UInt64]

  /// Ones that do not count, but say that a number follows in full.
  private static let escape: UInt32 = 9

  /// - Parameters:
  ///   - multiplier: how fast the mean follows.
  ///   - initialMean: the mean at the beginning, scaled by 512.
  ///   - limit: the most low bits, 1 to 14.
  init(multiplier: UInt32, initialMean: UInt32, limit: Int) {
    self.multiplier = multiplier
    self.initialMean = initialMean
    self.limit = limit
    reciprocals = (0..<32).map { size in
      let divisor = UInt64(max(1 << size - 1, 1))
      return (1 << 32 + divisor - 1) / divisor
    }
  }

  /// Writes residuals.
  ///
  /// - Parameters:
  ///   - residuals: of a channel.
  ///   - width: bits of a residual that is written in full.
  func write(_ residuals: UnsafePointer<Int32>, count: Int, width: Int, to writer: PacketWriter) {
    let reciprocals = reciprocals.span
    var (mean, afterRun, index) = (initialMean, 0 as UInt32, 0)
    while index < count {
      let residual = unsafe residuals[index]
      let folded = UInt32(bitPattern: residual &<< 1 ^ residual &>> 31)
      let size = min(31 &- (mean &>> 9 &+ 3).leadingZeroBitCount, limit)
      ResidualWriter.number(folded &- afterRun, size: size, reciprocals[size], fullWidth: width, to: writer)
      index &+= 1
      let next = mean &+ folded &* multiplier &- (mean &* multiplier) &>> 9
      mean = folded > 0xFFFF ? 0xFFFF : next
      afterRun = 0
      guard mean < 128, index < count else { continue }
      var run = 0
      while run < 0xFFFF, index &+ run < count, unsafe residuals[index &+ run] == 0 { run &+= 1 }
      let runSize = min(mean.leadingZeroBitCount &- 24 &+ Int(truncatingIfNeeded: (mean &+ 16) &>> 6), limit)
      ResidualWriter.number(
        UInt32(truncatingIfNeeded: run), size: runSize, reciprocals[runSize], fullWidth: 16, to: writer)
      index &+= run
      afterRun = run < 0xFFFF ? 1 : 0
      mean = 0
    }
  }

  @inline(__always)
  private static func number(
    _ value: UInt32, size: Int, _ reciprocal: UInt64, fullWidth: Int, to writer: PacketWriter
  ) {
    let shift = UInt32(truncatingIfNeeded: size)
    let divisor: UInt32 = 1 &<< shift &- 1
    guard value < divisor &* escape else {
      writer.append(0x1FF as UInt32, bits: 9)
      let mask = UInt32(truncatingIfNeeded: 1 &<< UInt64(truncatingIfNeeded: fullWidth) &- 1)
      return writer.append(value & mask, bits: fullWidth)
    }
    let ones = UInt32(truncatingIfNeeded: (UInt64(value) &* reciprocal) &>> 32)
    let rest = value &- ones &* divisor
    let unary: UInt32 = (1 &<< ones &- 1) &<< 1
    // A remainder of 0 takes one bit less.
    let isLong: UInt32 = rest == 0 ? 0 : 1
    let bits = unary &<< (shift &- 1 &+ isLong) | (rest &+ isLong) & (0 &- isLong)
    writer.append(bits, bits: Int(truncatingIfNeeded: ones &+ shift &+ isLong))
  }
}
