/// Writes the bits of one packet, most significant first, into memory that is reused for the next.
///
/// `BitWriter` does the same for a header; a packet has hundreds of short fields, and there are many packets.
struct PacketBitWriter {
  private let buffer: AlignedMemory<UInt8>
  private var word: UInt64 = 0
  private var used = 0
  private var bytes = 0

  /// A writer into a buffer that must have room for the packet and eight bytes more, as it checks when it stores them.
  init(_ buffer: AlignedMemory<UInt8>) {
    self.buffer = buffer
  }

  /// Bits written so far.
  var position: Int { bytes * 8 + used }

  /// Appends the lowest `count` bits of a value in which no others are set; `count` is at most 32.
  @inline(__always)
  mutating func append(_ value: UInt32, _ count: Int) {
    word |= UInt64(value) &<< UInt64(truncatingIfNeeded: 64 &- used &- count)
    used &+= count
    guard used >= 32 else { return }
    unsafe UnsafeMutableRawPointer(buffer.pointer(at: bytes, count: 4)).storeBytes(
      of: UInt32(truncatingIfNeeded: word &>> 32).bigEndian, as: UInt32.self)
    bytes &+= 4
    word &<<= 32
    used &-= 32
  }

  /// Appends a number that is known not to be negative.
  @inline(__always)
  mutating func append(_ value: Int, _ count: Int) {
    append(UInt32(truncatingIfNeeded: value), count)
  }

  /// Fills the last byte with zero bits and returns the packet.
  mutating func finish() -> [UInt8] {
    let total = (position + 7) / 8
    unsafe UnsafeMutableRawPointer(buffer.pointer(at: bytes, count: 8)).storeBytes(of: word.bigEndian, as: UInt64.self)
    return unsafe Array(UnsafeBufferPointer(start: buffer.pointer(at: 0, count: total), count: total))
  }
}
