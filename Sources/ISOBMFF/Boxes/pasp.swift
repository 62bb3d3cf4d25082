/// The shape of pixels: width to height.
///
/// Source: ISO/IEC 14496-12, 12.1.4.
public struct PixelAspectRatioBox: Box {
  /// Relative width.
  public var horizontalSpacing: UInt32 = 1
  /// Relative height.
  public var verticalSpacing: UInt32 = 1

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("hSpacing", &horizontalSpacing)
    try coder.integer("vSpacing", &verticalSpacing)
  }
}
