public import MediaCore

/// How a compressed movie header is compressed.
///
/// Source: QuickTime File Format, Compressed Movie Resources.
public struct DataCompressionBox: Box {
  /// `zlib`.
  public var compression: FourCC = "zlib"

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fourCC("compression", &compression)
  }
}
