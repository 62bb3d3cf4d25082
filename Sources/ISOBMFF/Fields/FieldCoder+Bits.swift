internal import MediaCore

// Fields shorter than a byte. The bits of consecutive fields have to add up to whole bytes.
extension FieldCoder {
  /// A number of `count` bits, most significant first.
  package mutating func bits<Number: FixedWidthInteger & UnsignedInteger>(
    _ name: String, _ value: inout Number, _ count: Int
  ) throws(BoxError) {
    switch mode {
    case .reading:
      value = 0
      for _ in 0..<count {
        if bitOffset == 0 { bitByte = try take(1, name).first ?? 0 }
        value = value << 1 | Number(truncatingIfNeeded: bitByte >> UInt8(7 - bitOffset) & 1)
        bitOffset = (bitOffset + 1) % 8
      }
    case .writing:
      for shift in stride(from: count - 1, through: 0, by: -1) {
        if bitOffset == 0 { output.append(0) }
        output[output.count - 1] |= UInt8(truncatingIfNeeded: value >> shift & 1) << UInt8(7 - bitOffset)
        bitOffset = (bitOffset + 1) % 8
      }
    case .printing: note(name, .integer(Int128(value)))
    }
  }

  /// A single bit as a boolean.
  package mutating func flag(_ name: String, _ value: inout Bool) throws(BoxError) {
    var bit: UInt8 = value ? 1 : 0
    try bits(name, &bit, 1)
    value = bit == 1
  }

  /// Bits that the standard reserves: kept for the round trip, and not shown.
  package mutating func reservedBits<Number: FixedWidthInteger & UnsignedInteger>(
    _ value: inout Number, _ count: Int
  ) throws(BoxError) {
    if !isPrinting { try bits("reserved", &value, count) }
  }
}
