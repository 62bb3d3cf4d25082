/// The shape of pixels: width to height.
///
/// Source: ISO/IEC 14496-12, 12.1.4.
package struct PixelAspectRatioBox: Box {
  /// Relative width.
  package var horizontalSpacing: UInt32 = 1
  /// Relative height.
  package var verticalSpacing: UInt32 = 1

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("hSpacing", &horizontalSpacing)
    try coder.integer("vSpacing", &verticalSpacing)
  }
}
