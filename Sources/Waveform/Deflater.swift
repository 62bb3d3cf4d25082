internal import MediaCore

/// Compresses bytes for a PNG: as a zlib stream of one block with the fixed Huffman codes, in which runs of one byte
/// are copies of the byte before.
///
/// That is a small part of what the format can do, and most of what pictures with large even areas need. Source:
/// RFC 1950 for the stream, RFC 1951 for the block.
struct Deflater {
  /// What is ready.
  private(set) var bytes: [UInt8]
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var checksum = Adler32()
  /// The byte that came last, and how many more of it came since it was written.
  private var last: UInt8?
  private var repeats = 0

  /// The shortest and the longest copy.
  private static let shortest = 3
  private static let longest = 258

  init() {
    // A window of 32 KiB, no preset dictionary; then a block that is the last, with fixed codes.
    bytes = [0x78, 0x01]
    put(1, 1)
    put(1, 2)
  }

  mutating func append(_ more: [UInt8]) {
    checksum.add(more)
    for byte in more {
      if byte == last {
        repeats += 1
        if repeats == Deflater.longest { flushRepeats() }
      } else {
        flushRepeats()
        literal(byte)
        last = byte
      }
    }
  }

  /// Ends the stream: no more can be appended.
  mutating func finish() {
    flushRepeats()
    symbol(256)
    if bitCount > 0 { put(0, 8 - bitCount) }
    bytes.appendBigEndian(checksum.value)
  }

  /// Hands over what is ready.
  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  private mutating func flushRepeats() {
    guard let last else { return }
    if repeats < Deflater.shortest {
      for _ in 0..<repeats { literal(last) }
    } else {
      copy(repeats)
    }
    repeats = 0
  }

  private mutating func literal(_ byte: UInt8) { symbol(Int(byte)) }

  /// A copy from one byte before. Lengths share a symbol in groups that double every four, with bits that say which of
  /// the group; the longest has one of its own.
  private mutating func copy(_ length: Int) {
    var (code, extra, value) = (length - Deflater.shortest + 257, 0, 0)
    if length == Deflater.longest {
      code = 285
    } else if length >= 11 {
      let offset = length - Deflater.shortest
      extra = Int.bitWidth - 1 - offset.leadingZeroBitCount - 2
      code = 257 + 4 * extra + offset >> extra
      value = offset & (1 << extra - 1)
    }
    symbol(code)
    put(UInt64(value), extra)
    // A distance of one: symbol 0, of five bits.
    put(0, 5)
  }

  /// A symbol in its fixed code, whose most significant bit comes first.
  private mutating func symbol(_ symbol: Int) {
    switch symbol {
    case ..<144: putReversed(0x30 + symbol, 8)
    case ..<256: putReversed(0x190 + symbol - 144, 9)
    case ..<280: putReversed(symbol - 256, 7)
    default: putReversed(0xC0 + symbol - 280, 8)
    }
  }

  private mutating func putReversed(_ code: Int, _ count: Int) {
    var reversed: UInt64 = 0
    for bit in 0..<count where code >> bit & 1 != 0 { reversed |= 1 << UInt64(count - 1 - bit) }
    put(reversed, count)
  }

  /// Appends bits, the least significant first.
  private mutating func put(_ value: UInt64, _ count: Int) {
    bits |= value << UInt64(bitCount)
    bitCount += count
    while bitCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }
}
