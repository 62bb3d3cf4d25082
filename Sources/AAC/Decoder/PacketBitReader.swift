/// Reads a packet bit by bit, for a decoder.
///
/// Reading past the end returns zeros and sets `isOverrun`, so that loops need no exit in the middle: callers check it
/// before they use the result. The packet is followed by `padding` zero bytes that may be read.
///
/// Safe: it keeps the memory alive, makes sure at the beginning that this holds the packet and the padding, and never
/// moves beyond the packet's end.
@safe struct PacketBitReader {
  /// Zero bytes after the packet: more than the longest scalefactor band can take before it is checked, plus the
  /// look-ahead of 8 bytes.
  static let padding = 512
  /// The most lines of a scalefactor band: of at most 28 bits each, they take 336 bytes.
  static let longestBand = 96

  /// The packet and the padding.
  private let memory: AlignedMemory<UInt8>
  fileprivate let start: UnsafePointer<UInt8>
  /// Size of the packet in bits.
  let count: Int
  /// Bits read so far, `count` at most.
  private(set) var position = 0
  /// Whether more was read than the packet holds.
  private(set) var isOverrun = false

  /// A reader of `bytes` bytes of the memory, which at least `padding` more follow.
  ///
  /// - Parameters:
  ///   - memory: the packet, or several.
  ///   - first: where the packet begins in it.
  ///   - bytes: the size of the packet. Reading past its end returns zeros only if zeros follow it.
  init(_ memory: AlignedMemory<UInt8>, from first: Int = 0, bytes: Int) {
    precondition(first >= 0 && bytes >= 0 && first <= memory.count - PacketBitReader.padding)
    precondition(bytes <= memory.count - PacketBitReader.padding - first)
    self.memory = memory
    unsafe start = UnsafePointer(memory.start + first)
    count = bytes * 8
  }

  /// At least the next 57 bits, the first one highest. `position` is 0 to `count`, so these bytes exist.
  @inline(__always)
  private var ahead: UInt64 {
    let word = unsafe UnsafeRawPointer(start).loadUnaligned(fromByteOffset: position >> 3, as: UInt64.self)
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

  /// Moves by `width` bits, backwards if negative. A target before the start or beyond the end sets `isOverrun` and
  /// moves to the end; one unsigned comparison catches both.
  @inline(__always)
  mutating func skip(_ width: Int) {
    let next = position &+ width
    let isWithin = UInt(bitPattern: next) <= UInt(bitPattern: count)
    if !isWithin { isOverrun = true }
    position = isWithin ? next : count
  }

  /// Moves to the next byte boundary of the packet.
  mutating func alignToByte() { skip(-position & 7) }
}

/// The reader's bits in a register, for the loops that read most of them.
///
/// Every refill leaves at least 56 bits; it reads eight bytes at an offset that only increases. The two unsafe members
/// are those that need the caller's care, the others touch no memory.
@safe struct BitCache {
  private(set) var bits: UInt64
  private var count: UInt64
  private var next: UnsafePointer<UInt8>

  /// The bits that come next in a reader, which has to live as long as the cache.
  @inline(__always)
  @unsafe init(_ reader: PacketBitReader) {
    unsafe next = reader.start + (reader.position >> 3)
    (bits, count) = (0, 0)
    // The reader's position is within the packet, which the padding follows.
    unsafe refill()
    consume(UInt64(truncatingIfNeeded: reader.position & 7))
  }

  /// Refills it to 56 bits or more. The caller ensures that the reader lives, and that no more than the lines of one
  /// band were read since the last bit known to be within the packet: so the padding has eight bytes left.
  @inline(__always)
  @unsafe mutating func refill() {
    let word = unsafe UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
    bits |= word &>> count
    unsafe next += Int(truncatingIfNeeded: (63 &- count) &>> 3)
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
    unsafe (next - reader.start) * 8 - Int(truncatingIfNeeded: count)
  }
}
