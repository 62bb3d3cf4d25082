// Media files keep numbers big-endian: the most significant byte first.

extension Span where Element == UInt8 {
  /// The big-endian number at `offset`, in bytes. The caller has checked that it lies within the span.
  @inlinable @inline(__always)
  public func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type = Number.self)
    -> Number
  {
    // Any bit pattern is a number, so reading one is safe wherever it lies; the span checks the bounds. `bytes` counts
    // as unsafe because elements of another type could have padding; a byte has none.
    Number(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension RangeReplaceableCollection where Element == UInt8 {
  /// Appends a number, most significant byte first.
  @inlinable
  public mutating func appendBigEndian<Number: FixedWidthInteger>(_ number: Number) {
    var shift = Number.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }
}
