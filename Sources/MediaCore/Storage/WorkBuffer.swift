/// Memory of a fixed size for bytes on their way from one place to another, freed with its owner.
///
/// Unlike an array it is not filled with zeros first, and can be lent across calls that throw typed errors.
///
/// Safe: it frees only memory that nobody else owns, and only once. The pointers that it lends are marked where they
/// are used.
@safe
package struct WorkBuffer: ~Copyable {
  /// The memory. It is uninitialized until it is written to, and must not be used beyond the owner's life.
  package let bytes: UnsafeMutableRawBufferPointer

  /// Memory of `count` bytes, at least 1.
  package init(count: Int) {
    unsafe bytes = .allocate(byteCount: max(count, 1), alignment: 16)
  }

  deinit {
    unsafe bytes.deallocate()
  }

  /// The number of bytes.
  package var count: Int { unsafe bytes.count }

  /// A part of the memory, which must lie inside it.
  @inline(__always)
  package subscript(part: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(part.lowerBound >= 0 && part.upperBound <= count, "outside the buffer")
    return unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[part])
  }

  /// Copies bytes to another place in the memory. Both places must lie inside it; they may overlap.
  @inline(__always)
  package func move(_ moved: Int, from source: Int, to target: Int) {
    // As a number without a sign, what is negative is beyond any memory.
    let last = UInt(bitPattern: count &- moved)
    precondition(
      UInt(bitPattern: moved) <= UInt(bitPattern: count) && UInt(bitPattern: source) <= last
        && UInt(bitPattern: target) <= last, "outside the buffer")
    // Allocated memory has an address.
    let start = unsafe bytes.baseAddress.unsafelyUnwrapped
    unsafe (start + target).copyMemory(from: start + source, byteCount: moved)
  }
}
