/// Configuration of an H.264 decoder.
///
/// Source: ISO/IEC 14496-15, 5.3.3.
package struct AVCConfigurationBox: Box {
  /// 1.
  package var configurationVersion: UInt8 = 1
  /// `profile_idc`: 66 baseline, 77 main, 100 high.
  package var profile: UInt8 = 100
  /// The constraint flags between profile and level, `constraint_set0_flag` highest.
  package var profileCompatibility: UInt8 = 0
  /// `level_idc`: ten times the level.
  package var level: UInt8 = 0
  /// Kept as is.
  package var reserved1: UInt8 = 0x3F
  /// Size in bytes of the length before each NAL unit, minus one.
  package var lengthSizeMinusOne: UInt8 = 3
  /// Kept as is.
  package var reserved2: UInt8 = 7
  /// Sequence parameter sets; at most 31.
  package var sequenceParameterSets: [[UInt8]] = []
  /// Picture parameter sets.
  package var pictureParameterSets: [[UInt8]] = []
  /// Fields for the high profiles; many writers leave them out.
  package var high = AVCHighProfileFields()
  /// Whether they are present.
  package var hasHigh = false

  /// Bytes of the length before each NAL unit in samples: 1 to 4.
  package var lengthSize: Int { Int(lengthSizeMinusOne & 3) + 1 }

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("configurationVersion", &configurationVersion)
    try coder.integer("AVCProfileIndication", &profile)
    try coder.integer("profile_compatibility", &profileCompatibility)
    try coder.integer("AVCLevelIndication", &level)
    try coder.reservedBits(&reserved1, 6)
    try coder.bits("lengthSizeMinusOne", &lengthSizeMinusOne, 2)
    try coder.reservedBits(&reserved2, 3)
    var count = UInt8(clamping: min(sequenceParameterSets.count, 31))
    try coder.bits("numOfSequenceParameterSets", &count, 5)
    try NALUnits.code(&sequenceParameterSets, "sequenceParameterSets", count: Int(count), with: &coder)
    try NALUnits.codeCounted(&pictureParameterSets, "pictureParameterSets", by: UInt8.self, with: &coder)
    // The standard lists 100, 110, 122 and 144, but writers add the fields for all but the old profiles.
    switch profile {
    case 66, 77, 88: break
    default: if coder.isPresent(&hasHigh, bytes: 4) { try high.code(with: &coder) }
    }
  }
}

/// What the configuration adds for H.264's high profiles.
///
/// Source: ISO/IEC 14496-15, 5.3.3.1.2.
package struct AVCHighProfileFields: Sendable, Hashable {
  /// Kept as is.
  package var reserved1: UInt8 = 0x3F
  /// `chroma_format_idc`: 1 for 4:2:0.
  package var chromaFormat: UInt8 = 1
  /// Kept as is.
  package var reserved2: UInt8 = 0x1F
  /// Bits of a luma sample, minus eight.
  package var bitDepthLumaMinus8: UInt8 = 0
  /// Kept as is.
  package var reserved3: UInt8 = 0x1F
  /// Bits of a chroma sample, minus eight.
  package var bitDepthChromaMinus8: UInt8 = 0
  /// Extensions of sequence parameter sets.
  package var sequenceParameterSetExtensions: [[UInt8]] = []

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.reservedBits(&reserved1, 6)
    try coder.bits("chroma_format", &chromaFormat, 2)
    try coder.reservedBits(&reserved2, 5)
    try coder.bits("bit_depth_luma_minus8", &bitDepthLumaMinus8, 3)
    try coder.reservedBits(&reserved3, 5)
    try coder.bits("bit_depth_chroma_minus8", &bitDepthChromaMinus8, 3)
    try NALUnits.codeCounted(
      &sequenceParameterSetExtensions, "sequenceParameterSetExt", by: UInt8.self, with: &coder)
  }
}
