/// Configuration of a VP8 or VP9 decoder.
///
/// Source: VP Codec ISO Media File Format Binding, "VP Codec Configuration Box".
package struct VPCodecConfigurationBox: Box {
  package var versionAndFlags = VersionAndFlags(version: 1)
  /// 0 to 3.
  package var profile: UInt8 = 0
  /// Ten times the level.
  package var level: UInt8 = 0
  /// Bits per sample.
  package var bitDepth: UInt8 = 8
  /// 0 or 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  package var chromaSubsampling: UInt8 = 1
  /// Whether all code values are used, not just the video range.
  package var isFullRange = false
  /// `colour_primaries` of ITU-T H.273; 2 if unspecified.
  package var colourPrimaries: UInt8 = 2
  /// `transfer_characteristics` of ITU-T H.273; 2 if unspecified.
  package var transferCharacteristics: UInt8 = 2
  /// `matrix_coefficients` of ITU-T H.273; 2 if unspecified.
  package var matrixCoefficients: UInt8 = 2
  /// Empty for VP8 and VP9.
  package var codecInitializationData: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    // Drafts had a version 0, laid out differently.
    guard versionAndFlags.version == 1 else { throw BoxError(.invalidValue(0), field: "version") }
    try coder.integer("profile", &profile)
    try coder.integer("level", &level)
    try coder.bits("bitDepth", &bitDepth, 4)
    try coder.bits("chromaSubsampling", &chromaSubsampling, 3)
    try coder.flag("videoFullRangeFlag", &isFullRange)
    try coder.integer("colourPrimaries", &colourPrimaries)
    try coder.integer("transferCharacteristics", &transferCharacteristics)
    try coder.integer("matrixCoefficients", &matrixCoefficients)
    try coder.sizedBytes("codecInitializationData", &codecInitializationData, by: UInt16.self)
  }
}
