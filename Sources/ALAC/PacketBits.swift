/// The bits of a packet, most significant first.
///
/// Safe: it owns a copy of the packet with zeros after it, and loads no word that begins after the packet.
@safe final class PacketBits {
  /// Zero bytes after a packet: enough for what one turn of the loop over residuals takes before it checks where it
  /// is, 67 bits, and for the word that is loaded there.
  static let padding = 32

  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8192, alignment: 16)
  /// Bits of the packet.
  private(set) var count = 0
  /// Bits read so far, `count` at most.
  private(set) var position = 0

  deinit {
    unsafe memory.deallocate()
  }

  /// Takes a packet, to be read from its beginning.
  func load(_ bytes: RawSpan) {
    let size = bytes.byteCount
    if unsafe memory.count < size + PacketBits.padding {
      unsafe memory.deallocate()
      unsafe memory = .allocate(byteCount: 2 * size + PacketBits.padding, alignment: 16)
    }
    // As many bytes as there are, to memory that has room for them and for the zeros.
    unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[size..<(size + PacketBits.padding)])
      .initializeMemory(as: UInt8.self, repeating: 0)
    (count, position) = (8 * size, 0)
  }

  /// The packet's bytes and the zeros after them, for loops that keep to what `padding` allows.
  var start: UnsafeRawPointer {
    // Allocated memory has an address.
    unsafe UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
  }

  /// The next bits as a number.
  ///
  /// - Parameter width: 0 to 32.
  /// - Throws: `ALACFault` `.truncated`.
  func bits(_ width: Int) throws(ALACFault) -> UInt32 {
    guard width > 0 else { return 0 }
    guard width <= count - position else { throw .truncated }
    // A bit of the packet: at least eight bytes follow the one that it is in.
    let word = unsafe UInt64(bigEndian: start.loadUnaligned(fromByteOffset: position >> 3, as: UInt64.self))
    position += width
    return UInt32(truncatingIfNeeded: (word << UInt64((position - width) & 7)) >> UInt64(64 - width))
  }

  /// The next bits as a number with a sign.
  func signedBits(_ width: Int) throws(ALACFault) -> Int32 {
    let shift = Int32(32 - width)
    return (Int32(bitPattern: try bits(width)) &<< shift) &>> shift
  }

  /// The next bit as a flag.
  func flag() throws(ALACFault) -> Bool { try bits(1) == 1 }

  /// Goes to a position.
  ///
  /// - Throws: `ALACFault` `.truncated` if it is not within the packet.
  func go(to position: Int) throws(ALACFault) {
    guard (0...count).contains(position) else { throw .truncated }
    self.position = position
  }
}

/// What is wrong with a packet.
enum ALACFault: Error {
  /// It ends before its last element does.
  case truncated
  /// A field has a value that makes no sense.
  case invalid(StaticString, Int)
  /// There is an element of a kind that Apple Lossless does not use.
  case element(Int)
}
