/// Writes a packet bit by bit, most significant first.
struct PacketWriter {
  private(set) var bytes: [UInt8] = []
  /// Bits that are not bytes yet, the last one lowest.
  private var pending: UInt64 = 0
  private var pendingCount = 0

  /// Bits written so far.
  var count: Int { 8 * bytes.count + pendingCount }

  /// Appends the lowest `width` bits of a number, 0 to 32.
  mutating func append(_ value: UInt32, bits width: Int) {
    pending = pending << UInt64(width) | UInt64(value) & (1 << UInt64(width) - 1)
    pendingCount += width
    while pendingCount >= 8 {
      pendingCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingCount)))
    }
  }

  /// Appends the lowest bits of a number with a sign.
  mutating func append(_ value: Int32, bits width: Int) { append(UInt32(bitPattern: value), bits: width) }

  /// Fills up the last byte with zeros.
  mutating func alignToByte() { append(0 as UInt32, bits: -pendingCount & 7) }
}
