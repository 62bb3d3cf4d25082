/// A compressed movie header.
///
/// Source: QuickTime File Format, Compressed Movie Resources.
package struct CompressedMovieDataBox: Box {
  /// Bytes of the `moov` box before compression, as the file claims.
  package var uncompressedSize: UInt32 = 0
  /// The box, compressed.
  package var data: ArraySlice<UInt8> = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("uncompressed_size", &uncompressedSize)
    try coder.slice("data", &data, count: coder.remaining)
  }
}
