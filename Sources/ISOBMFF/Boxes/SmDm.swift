/// The display on which VP9 high dynamic range video was mastered.
///
/// Source: VP Codec ISO Media File Format Binding, "SMPTE-2086 Mastering Display Metadata Box".
package struct SMPTE2086MasteringDisplayMetadataBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Red, 0.16.
  package var red = Chromaticity()
  /// Green, 0.16.
  package var green = Chromaticity()
  /// Blue, 0.16.
  package var blue = Chromaticity()
  /// White, 0.16.
  package var white = Chromaticity()
  /// Highest luminance, in candela per square metre, 24.8.
  package var maximumLuminance: UInt32 = 0
  /// Lowest luminance, in candela per square metre, 18.14.
  package var minimumLuminance: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try red.code("primary_r_chromaticity", with: &coder)
    try green.code("primary_g_chromaticity", with: &coder)
    try blue.code("primary_b_chromaticity", with: &coder)
    try white.code("white_point_chromaticity", with: &coder)
    try coder.fixed("luminance_max", &maximumLuminance, fractionBits: 8)
    try coder.fixed("luminance_min", &minimumLuminance, fractionBits: 14)
  }
}
