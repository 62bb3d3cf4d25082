/// Configuration of an IAMF (Immersive Audio Model and Formats) decoder.
///
/// Source: Alliance for Open Media, IAMF 1.1, "IA Configuration Box".
package struct IAConfigurationBox: Box {
  /// 1.
  package var configurationVersion: UInt8 = 1
  /// The size of the rest in `leb128` format, and then the open bitstream units (OBUs) that describe the sequence; see
  /// `IAMFDescription`.
  package var configuration: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("configurationVersion", &configurationVersion)
    try coder.rest("configOBUs", &configuration)
  }
}
