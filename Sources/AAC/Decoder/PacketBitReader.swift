/// Reads a packet bit by bit, for a decoder.
///
/// Reading past the end returns zeros and sets `isOverrun`, so that loops need no exit in the middle: callers check it
/// before they use the result. The packet is followed by `padding` zero bytes that may be read.
struct PacketBitReader {
  /// Zero bytes after the packet: more than the longest scalefactor band can take before it is checked, 96 lines of at
  /// most 28 bits, plus the look-ahead.
  static let padding = 512

  /// The packet; the caller keeps this memory, and `padding` zeros after it, alive and unchanged.
  let start: UnsafePointer<UInt8>
  /// Size of the packet in bytes.
  let count: Int
  /// Bits read so far, `count` at most.
  private(set) var position = 0
  /// Whether more was read than the packet holds.
  private(set) var isOverrun = false

  init(_ start: UnsafePointer<UInt8>, bytes: Int) {
    self.start = start
    count = bytes * 8
  }

  /// At least the next 57 bits, the first one highest. `position` is at most `count`, so these bytes exist.
  @inline(__always)
  private var ahead: UInt64 {
    let word = UnsafeRawPointer(start).loadUnaligned(fromByteOffset: position >> 3, as: UInt64.self)
    return UInt64(bigEndian: word) &<< UInt64(truncatingIfNeeded: position & 7)
  }

  /// The next `width` bits, 1 to 32, without consuming them.
  @inline(__always)
  func peek(_ width: Int) -> Int {
    Int(truncatingIfNeeded: ahead &>> UInt64(truncatingIfNeeded: 64 - width))
  }

  /// The next `width` bits, 1 to 32.
  @inline(__always)
  mutating func bits(_ width: Int) -> Int {
    let value = peek(width)
    skip(width)
    return value
  }

  /// The next bit as a flag.
  @inline(__always)
  mutating func flag() -> Bool { bits(1) != 0 }

  /// Skips bits, 0 or more.
  @inline(__always)
  mutating func skip(_ width: Int) {
    let next = position &+ width
    if next > count { isOverrun = true }
    position = min(next, count)
  }

  /// Moves to the next byte boundary of the packet.
  mutating func alignToByte() { skip(-position & 7) }
}

/// The reader's bits in a register, for the loops that read most of them.
///
/// Every refill leaves at least 56 bits; it reads eight bytes at an offset that only increases, and a band that starts
/// within the packet cannot get beyond the padding.
struct BitCache {
  private(set) var bits: UInt64
  private var count: UInt64
  private var next: UnsafePointer<UInt8>

  @inline(__always)
  init(_ reader: PacketBitReader) {
    next = reader.start + (reader.position >> 3)
    (bits, count) = (0, 0)
    refill()
    consume(UInt64(truncatingIfNeeded: reader.position & 7))
  }

  /// Refills it to 56 bits or more.
  @inline(__always)
  mutating func refill() {
    let word = UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
    bits |= word &>> count
    next += Int(truncatingIfNeeded: (63 &- count) &>> 3)
    count |= 56
  }

  /// Drops bits from the top.
  @inline(__always)
  mutating func consume(_ width: UInt64) {
    bits = bits &<< width
    count = count &- width
  }

  /// Bits from the start of the reader's packet to the first bit here.
  @inline(__always)
  func position(in reader: PacketBitReader) -> Int {
    (next - reader.start) * 8 - Int(truncatingIfNeeded: count)
  }
}
