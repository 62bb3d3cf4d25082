package import MediaCore

/// The type of a sample entry before encryption changed it.
///
/// Source: ISO/IEC 14496-12, 8.12.3.
package struct OriginalFormatBox: Box {
  /// The type: `mp4a`, `avc1`.
  package var dataFormat: FourCC = "mp4a"

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fourCC("data_format", &dataFormat)
  }
}
