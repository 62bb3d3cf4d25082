package import MediaCore

/// Which colours the sample values represent.
///
/// Source: ISO/IEC 14496-12, 12.1.5; QuickTime File Format, Color Parameter Atoms.
package struct ColourInformationBox: Box {
  /// `nclx` for code points, `nclc` for the same in QuickTime, `rICC` and `prof` for an ICC profile.
  package var colourType: FourCC = "nclx"
  /// `colour_primaries` of ITU-T H.273: 1 is BT.709, 9 is BT.2020.
  package var colourPrimaries: UInt16 = 2
  /// `transfer_characteristics` of ITU-T H.273: 1 is BT.709, 16 PQ, 18 HLG.
  package var transferCharacteristics: UInt16 = 2
  /// `matrix_coefficients` of ITU-T H.273.
  package var matrixCoefficients: UInt16 = 2
  /// Whether all code values are used, not just the video range.
  package var isFullRange = false
  /// Kept as is.
  package var reserved: UInt8 = 0
  /// Whether `isFullRange` is present: some writers of `nclx` forget it.
  package var hasRange = true
  /// The ICC profile, or whatever else an unknown type means.
  package var profile: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fourCC("colour_type", &colourType)
    guard colourType == "nclx" || colourType == "nclc" else { return try coder.rest("ICC_profile", &profile) }
    try coder.integer("colour_primaries", &colourPrimaries)
    try coder.integer("transfer_characteristics", &transferCharacteristics)
    try coder.integer("matrix_coefficients", &matrixCoefficients)
    guard colourType == "nclx", coder.isPresent(&hasRange) else { return }
    try coder.flag("full_range_flag", &isFullRange)
    try coder.reservedBits(&reserved, 7)
  }
}
