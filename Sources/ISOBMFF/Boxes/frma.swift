public import MediaCore

/// What a sample entry was called before encryption changed its type.
///
/// Source: ISO/IEC 14496-12, 8.12.3.
public struct OriginalFormatBox: Box {
  /// The type: `mp4a`, `avc1`.
  public var dataFormat: FourCC = "mp4a"

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fourCC("data_format", &dataFormat)
  }
}
