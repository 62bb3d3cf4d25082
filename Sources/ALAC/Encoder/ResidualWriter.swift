/// Writes residuals in the code that `ResidualReader` describes, or counts the bits that they would take.
struct ResidualWriter {
  let multiplier: UInt32
  let initialMean: UInt32
  let limit: Int

  /// Bits that residuals take.
  ///
  /// - Parameters:
  ///   - residuals: of a channel.
  ///   - width: bits of a residual that is written in full.
  func cost(_ residuals: [Int32], width: Int) -> Int {
    var bits = 0
    code(residuals, width: width) { _, count in bits &+= count }
    return bits
  }

  /// Writes residuals.
  func write(_ residuals: [Int32], width: Int, to writer: inout PacketWriter) {
    code(residuals, width: width) { value, count in
      // A full number of 32 bits comes after nine ones.
      if count > 32 { writer.append(UInt32(truncatingIfNeeded: value >> 32), bits: count - 32) }
      writer.append(UInt32(truncatingIfNeeded: value), bits: min(count, 32))
    }
  }

  /// Hands out the codes, each as a number and how many of its bits count.
  @inline(__always)
  private func code(_ residuals: [Int32], width: Int, _ put: (UInt64, Int) -> Void) {
    var (mean, afterRun, index) = (initialMean, 0 as UInt32, 0)
    while index < residuals.count {
      let residual = residuals[index]
      let folded = UInt32(bitPattern: residual << 1 ^ residual >> 31)
      let size = min(31 - (mean >> 9 &+ 3).leadingZeroBitCount, limit)
      ResidualWriter.number(folded &- afterRun, size: size, fullWidth: width, put)
      index += 1
      let next = mean &+ folded &* multiplier &- (mean &* multiplier) >> 9
      mean = folded > 0xFFFF ? 0xFFFF : next
      afterRun = 0
      guard mean < 128, index < residuals.count else { continue }
      var run = 0
      while run < 0xFFFF, index + run < residuals.count, residuals[index + run] == 0 { run += 1 }
      let runSize = min(mean.leadingZeroBitCount - 24 + Int((mean + 16) >> 6), limit)
      ResidualWriter.number(UInt32(run), size: runSize, fullWidth: 16, put)
      index += run
      afterRun = run < 0xFFFF ? 1 : 0
      mean = 0
    }
  }

  @inline(__always)
  private static func number(_ value: UInt32, size: Int, fullWidth: Int, _ put: (UInt64, Int) -> Void) {
    let divisor: UInt32 = 1 << UInt32(size) - 1
    let (ones, rest) = value.quotientAndRemainder(dividingBy: divisor)
    guard ones < 9 else {
      return put(0x1FF << UInt64(fullWidth) | UInt64(value) & (1 << UInt64(fullWidth) - 1), 9 + fullWidth)
    }
    let unary: UInt64 = (1 << UInt64(ones) - 1) << 1
    if rest == 0 {
      put(unary << UInt64(size - 1), Int(ones) + size)
    } else {
      put(unary << UInt64(size) | UInt64(rest + 1), Int(ones) + 1 + size)
    }
  }
}
