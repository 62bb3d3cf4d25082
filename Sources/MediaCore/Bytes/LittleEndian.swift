// WAVE files keep numbers little-endian: the least significant byte first.

extension Span where Element == UInt8 {
  /// The little-endian number at `offset`, in bytes. The caller has checked that it lies within the span.
  @inlinable @inline(__always)
  public func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number {
    // Any bit pattern is a number, so reading one is safe wherever it lies; the span checks the bounds. `bytes` counts
    // as unsafe because elements of another type could have padding; a byte has none.
    Number(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension RangeReplaceableCollection where Element == UInt8 {
  /// Appends a number, least significant byte first.
  @inlinable
  public mutating func appendLittleEndian<Number: FixedWidthInteger>(_ number: Number) {
    var shift = 0
    while shift < Number.bitWidth {
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
      shift += 8
    }
  }
}
