/// Memory of a fixed size for bytes on their way from one place to another, freed with its owner.
///
/// Unlike an array it is not filled with zeros first, and can be lent across calls that throw typed errors.
package struct WorkBuffer: ~Copyable {
  /// The memory. It is uninitialized until it is written to, and must not be used beyond the owner's life.
  package let bytes: UnsafeMutableRawBufferPointer

  /// Memory of `count` bytes, at least 1.
  package init(count: Int) {
    bytes = .allocate(byteCount: max(count, 1), alignment: 16)
  }

  deinit {
    bytes.deallocate()
  }
}
