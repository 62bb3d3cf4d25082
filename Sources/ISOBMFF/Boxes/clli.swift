/// The brightness limits of high dynamic range video.
///
/// Source: ISO/IEC 14496-12, 12.1.6; CTA-861.3.
package struct ContentLightLevelBox: Box {
  /// The brightest pixel, in candela per square metre; 0 if unknown.
  package var maximumContentLightLevel: UInt16 = 0
  /// The brightest picture's average, in candela per square metre; 0 if unknown.
  package var maximumPictureAverageLightLevel: UInt16 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("max_content_light_level", &maximumContentLightLevel)
    try coder.integer("max_pic_average_light_level", &maximumPictureAverageLightLevel)
  }
}
