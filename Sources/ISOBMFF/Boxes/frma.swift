public import MediaCore

/// The type of a sample entry before encryption changed it.
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
