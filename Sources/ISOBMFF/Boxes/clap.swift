/// Which part of the coded picture is to be shown: the clean aperture. All numbers are fractions, in pixels.
///
/// Source: ISO/IEC 14496-12, 12.1.4.
package struct CleanApertureBox: Box {
  /// Width, numerator.
  package var widthNumerator: UInt32 = 0
  /// Width, denominator.
  package var widthDenominator: UInt32 = 1
  /// Height, numerator.
  package var heightNumerator: UInt32 = 0
  /// Height, denominator.
  package var heightDenominator: UInt32 = 1
  /// Offset of the centre to the right of the picture's centre, numerator.
  package var horizontalOffsetNumerator: Int32 = 0
  /// Offset of the centre to the right of the picture's centre, denominator.
  package var horizontalOffsetDenominator: UInt32 = 1
  /// Offset of the centre below the picture's centre, numerator.
  package var verticalOffsetNumerator: Int32 = 0
  /// Offset of the centre below the picture's centre, denominator.
  package var verticalOffsetDenominator: UInt32 = 1

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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
