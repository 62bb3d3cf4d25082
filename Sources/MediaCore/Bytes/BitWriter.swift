/// Writes a number of bits at a time, most significant first.
public struct BitWriter: Sendable {
  /// The bytes so far; the last one is filled up with zero bits.
  public private(set) var bytes: [UInt8] = []
  /// Bits written so far.
  public private(set) var position = 0

  /// An empty writer.
  public init() {}

  /// Appends the lowest `count` bits of a number.
  ///
  /// - Parameters:
  ///   - value: the number; bits above the lowest `count` are ignored.
  ///   - count: 0 to 32; values outside are clamped.
  public mutating func append(_ value: UInt32, bits count: Int) {
    var left = min(max(count, 0), 32)
    while left > 0 {
      if position % 8 == 0 { bytes.append(0) }
      let free = 8 - position % 8
      let taken = min(free, left)
      let part = UInt8(truncatingIfNeeded: UInt64(value) >> UInt64(left - taken) & ((1 << UInt64(taken)) - 1))
      bytes[bytes.count - 1] |= part << UInt8(free - taken)
      position += taken
      left -= taken
    }
  }

  /// Appends a flag as one bit.
  public mutating func append(_ flag: Bool) {
    append(flag ? 1 : 0, bits: 1)
  }

  /// Fills up to the next byte boundary with zero bits.
  public mutating func alignToByte() {
    position = bytes.count * 8
  }
}
