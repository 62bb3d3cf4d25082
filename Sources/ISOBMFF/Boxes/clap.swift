/// Which part of the coded picture is to be shown: the clean aperture. All numbers are fractions, in pixels.
///
/// Source: ISO/IEC 14496-12, 12.1.4.
public struct CleanApertureBox: Box {
  /// Width, numerator.
  public var widthNumerator: UInt32 = 0
  /// Width, denominator.
  public var widthDenominator: UInt32 = 1
  /// Height, numerator.
  public var heightNumerator: UInt32 = 0
  /// Height, denominator.
  public var heightDenominator: UInt32 = 1
  /// Offset of the centre to the right of the picture's centre, numerator.
  public var horizontalOffsetNumerator: Int32 = 0
  /// Offset of the centre to the right of the picture's centre, denominator.
  public var horizontalOffsetDenominator: UInt32 = 1
  /// Offset of the centre below the picture's centre, numerator.
  public var verticalOffsetNumerator: Int32 = 0
  /// Offset of the centre below the picture's centre, denominator.
  public var verticalOffsetDenominator: UInt32 = 1

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("cleanApertureWidthN", &widthNumerator)
    try coder.integer("cleanApertureWidthD", &widthDenominator)
    try coder.integer("cleanApertureHeightN", &heightNumerator)
    try coder.integer("cleanApertureHeightD", &heightDenominator)
    try coder.integer("horizOffN", &horizontalOffsetNumerator)
    try coder.integer("horizOffD", &horizontalOffsetDenominator)
    try coder.integer("vertOffN", &verticalOffsetNumerator)
    try coder.integer("vertOffD", &verticalOffsetDenominator)
  }
}
