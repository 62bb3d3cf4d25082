/// The display on which high dynamic range video was mastered.
///
/// Source: ISO/IEC 14496-12, 12.1.7; Rec. ITU-T H.265, D.3.28.
package struct MasteringDisplayColourVolumeBox: Box {
  /// Green, in 1/50000 of CIE 1931 coordinates.
  package var green = Chromaticity()
  /// Blue, in 1/50000.
  package var blue = Chromaticity()
  /// Red, in 1/50000.
  package var red = Chromaticity()
  /// White, in 1/50000.
  package var white = Chromaticity()
  /// Highest luminance, in 1/10000 candela per square metre.
  package var maximumLuminance: UInt32 = 0
  /// Lowest luminance, in 1/10000 candela per square metre.
  package var minimumLuminance: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try green.code("display_primaries_green", with: &coder)
    try blue.code("display_primaries_blue", with: &coder)
    try red.code("display_primaries_red", with: &coder)
    try white.code("white_point", with: &coder)
    try coder.integer("max_display_mastering_luminance", &maximumLuminance)
    try coder.integer("min_display_mastering_luminance", &minimumLuminance)
  }
}

/// A colour without its brightness: CIE 1931 coordinates, in units that depend on the box.
package struct Chromaticity: Sendable, Hashable {
  /// The x coordinate in the diagram.
  package var x: UInt16 = 0
  /// The y coordinate in the diagram.
  package var y: UInt16 = 0

  /// The origin.
  package init() {}

  mutating func code(_ name: String, with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer(name + "_x", &x)
    try coder.integer(name + "_y", &y)
  }
}
