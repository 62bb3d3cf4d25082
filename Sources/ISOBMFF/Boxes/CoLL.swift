/// The brightness limits of VP9 high dynamic range video.
///
/// Source: VP Codec ISO Media File Format Binding, "Content Light Level Box".
package struct VPContentLightLevelBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The brightest pixel, in candela per square metre.
  package var maximumContentLightLevel: UInt16 = 0
  /// The brightest frame's average, in candela per square metre.
  package var maximumFrameAverageLightLevel: UInt16 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("maxCLL", &maximumContentLightLevel)
    try coder.integer("maxFALL", &maximumFrameAverageLightLevel)
  }
}
