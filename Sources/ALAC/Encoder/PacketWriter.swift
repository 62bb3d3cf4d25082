/// Writes a packet bit by bit, most significant first.
///
/// Safe: it owns its memory and checks before each word that there is room for it.
@safe final class PacketWriter {
  /// A place to return to.
  struct Mark {
    fileprivate let size: Int
    fileprivate let pending: UInt64
    fileprivate let pendingCount: Int
  }

  private let memory: UnsafeMutableRawBufferPointer
  /// Bytes written so far: whole words.
  private var size = 0
  /// Bits that are not a word yet, the last one lowest.
  private var pending: UInt64 = 0
  private var pendingCount = 0

  /// A writer of packets of so many bytes at most.
  init(capacity: Int) {
    unsafe memory = .allocate(byteCount: max(capacity, 0) + 8, alignment: 16)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// Bits written so far.
  var count: Int { 8 * size + pendingCount }

  /// Where it is.
  var mark: Mark { Mark(size: size, pending: pending, pendingCount: pendingCount) }

  /// Forgets what was written since.
  func rewind(to mark: Mark) { (size, pending, pendingCount) = (mark.size, mark.pending, mark.pendingCount) }

  /// Appends a number of no more than `width` bits, 0 to 32.
  @inline(__always)
  func append(_ value: UInt32, bits width: Int) {
    pending = pending &<< UInt64(truncatingIfNeeded: width) | UInt64(value)
    pendingCount &+= width
    guard pendingCount >= 32 else { return }
    pendingCount &-= 32
    let word = UInt32(truncatingIfNeeded: pending &>> UInt64(truncatingIfNeeded: pendingCount)).bigEndian
    unsafe precondition(size &+ 4 <= memory.count)
    // Room for the word was checked.
    unsafe memory.baseAddress.unsafelyUnwrapped.storeBytes(of: word, toByteOffset: size, as: UInt32.self)
    size &+= 4
  }

  /// Appends the lowest bits of a number with a sign, 0 to 32.
  @inline(__always)
  func append(_ value: Int32, bits width: Int) {
    append(
      UInt32(bitPattern: value) & UInt32(truncatingIfNeeded: 1 &<< UInt64(truncatingIfNeeded: width) &- 1), bits: width)
  }

  /// The packet, its last byte filled up with zeros; the writer is then at the start of the next.
  func finish() -> [UInt8] {
    while pendingCount > 0, pendingCount % 8 > 0 { append(0 as UInt32, bits: 1) }
    // Written before.
    var bytes = unsafe [UInt8](memory[0..<size])
    for index in 0..<(pendingCount / 8) {
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingCount - 8 - 8 * index)))
    }
    (size, pending, pendingCount) = (0, 0, 0)
    return bytes
  }
}
