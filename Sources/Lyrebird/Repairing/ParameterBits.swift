internal import MediaCore

/// Reads the bits of a NAL unit: its payload without the bytes that keep it from looking like a start code.
///
/// Source: ITU-T H.264, 7.3.1 and 9.1; ITU-T H.265, 7.3.1.1 and 9.2.
struct ParameterBits {
  /// The data ended, or a number is longer than any that is valid.
  struct Fault: Error {}

  private var reader: BitReader

  /// A reader of the first bytes of a NAL unit.
  ///
  /// - Parameters:
  ///   - unit: the unit, header included; its end may be missing.
  ///   - header: how long the header is, in bytes.
  init(_ unit: ArraySlice<UInt8>, header: Int) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(unit.count)
    var zeros = 0
    for byte in unit.dropFirst(header) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    reader = BitReader(bytes)
  }

  /// u(n), 0 to 32 bits.
  mutating func bits(_ count: Int) throws(Fault) -> Int {
    do throws(BitReader.EndOfData) { return Int(try reader.bits(count)) } catch { throw Fault() }
  }

  /// u(1).
  mutating func flag() throws(Fault) -> Bool { try bits(1) == 1 }

  /// Skips any number of bits.
  mutating func skip(_ count: Int) throws(Fault) {
    do throws(BitReader.EndOfData) { try reader.skip(count) } catch { throw Fault() }
  }

  /// ue(v), Exp-Golomb: n zeros, a one, then n bits; the value is 2^n - 1 plus the number that these make.
  mutating func number() throws(Fault) -> Int {
    var zeros = 0
    while try !flag() {
      zeros += 1
      if zeros > 31 { throw Fault() }
    }
    return (1 << zeros) - 1 + (try bits(zeros))
  }

  /// ue(v) of a value that has a limit.
  mutating func number(upTo limit: Int) throws(Fault) -> Int {
    let value = try number()
    guard value <= limit else { throw Fault() }
    return value
  }

  /// se(v).
  mutating func signed() throws(Fault) -> Int {
    let value = try number()
    return value & 1 == 1 ? (value + 1) / 2 : -(value / 2)
  }
}
