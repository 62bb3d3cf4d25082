package import MediaCore

/// How a compressed movie header is compressed.
///
/// Source: QuickTime File Format, Compressed Movie Resources.
package struct DataCompressionBox: Box {
  /// `zlib`.
  package var compression: FourCC = "zlib"

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fourCC("compression", &compression)
  }
}
