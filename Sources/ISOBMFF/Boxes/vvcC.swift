/// Configuration of an H.266 decoder.
///
/// Source: ISO/IEC 14496-15:2022, 11.2.4.2.
package struct VVCConfigurationBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Kept as is.
  package var reserved: UInt8 = 0x1F
  /// Size in bytes of the length before each NAL unit, minus one.
  package var lengthSizeMinusOne: UInt8 = 3
  /// Whether `stream` is present.
  package var hasProfileTierLevel = false
  /// Profile, tier, level and other properties of the whole stream.
  package var stream = VVCStreamFields()
  /// Parameter sets and the like, by type.
  package var arrays: [VVCUnitArray] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 0)
    try coder.reservedBits(&reserved, 5)
    try coder.bits("LengthSizeMinusOne", &lengthSizeMinusOne, 2)
    try coder.flag("ptl_present_flag", &hasProfileTierLevel)
    if hasProfileTierLevel { try stream.code(with: &coder) }
    try coder.countedList("arrays", &arrays, by: UInt8.self, minimumSize: 3, make: VVCUnitArray.init) {
      (coder, array) throws(BoxError) in try array.code(with: &coder)
    }
  }
}

/// Properties of the whole stream in an H.266 configuration.
package struct VVCStreamFields: Sendable, Hashable {
  /// The output layer set that is described.
  package var outputLayerSet: UInt16 = 0
  /// Number of temporal sublayers.
  package var sublayers: UInt8 = 1
  /// 1 if the frame rate is constant, 2 if it is constant in each sublayer.
  package var constantFrameRate: UInt8 = 0
  /// `chroma_format_idc`: 1 for 4:2:0.
  package var chromaFormat: UInt8 = 1
  /// Bits per sample, minus eight.
  package var bitDepthMinus8: UInt8 = 0
  /// Kept as is.
  package var reserved: UInt8 = 0x1F
  /// Kept as is.
  package var reserved2: UInt8 = 0
  /// `general_profile_idc`: 1 main 10.
  package var profile: UInt8 = 1
  /// Whether the level is of the high tier.
  package var isHighTier = false
  /// `general_level_idc`: sixteen times the level's number.
  package var level: UInt8 = 0
  /// Constraints, most significant bit first; the first two bits are the frame-only and the multilayer flag. At least
  /// one byte.
  package var constraints: [UInt8] = [0]
  /// For each sublayer below the highest, from the second highest down: whether its level is given. The highest bits of
  /// the byte are used; it is present only if there are several sublayers.
  package var sublayerLevelsPresent: UInt8 = 0
  /// Those levels.
  package var sublayerLevels: [UInt8] = []
  /// `general_sub_profile_idc`: defined outside the standard.
  package var subProfiles: [UInt32] = []
  /// Width of the largest picture, in pixels.
  package var maximumPictureWidth: UInt16 = 0
  /// Height of the largest picture, in pixels.
  package var maximumPictureHeight: UInt16 = 0
  /// Frames in 256 seconds; 0 if unspecified.
  package var averageFrameRate: UInt16 = 0

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("ols_idx", &outputLayerSet, 9)
    try coder.bits("num_sublayers", &sublayers, 3)
    try coder.bits("constant_frame_rate", &constantFrameRate, 2)
    try coder.bits("chroma_format_idc", &chromaFormat, 2)
    try coder.bits("bit_depth_minus8", &bitDepthMinus8, 3)
    try coder.reservedBits(&reserved, 5)
    try codeProfile(with: &coder)
    try coder.integer("max_picture_width", &maximumPictureWidth)
    try coder.integer("max_picture_height", &maximumPictureHeight)
    try coder.integer("avg_frame_rate", &averageFrameRate)
  }

  /// VvcPTLRecord.
  private mutating func codeProfile(with coder: inout FieldCoder) throws(BoxError) {
    try coder.reservedBits(&reserved2, 2)
    var constraintCount = UInt8(clamping: min(constraints.count, 63))
    try coder.bits("num_bytes_constraint_info", &constraintCount, 6)
    guard constraintCount > 0 else { throw BoxError(.invalidValue(0), field: "num_bytes_constraint_info") }
    try coder.bits("general_profile_idc", &profile, 7)
    try coder.flag("general_tier_flag", &isHighTier)
    try coder.integer("general_level_idc", &level)
    try coder.bytes("general_constraint_info", &constraints, count: Int(constraintCount))
    if sublayers > 1 {
      try coder.integer("ptl_sublayer_level_present_flags", &sublayerLevelsPresent)
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (Int(sublayers) - 1))
      let count = (sublayerLevelsPresent & mask).nonzeroBitCount
      try coder.bytes("sublayer_level_idc", &sublayerLevels, count: count)
    }
    try coder.countedList("general_sub_profile_idc", &subProfiles, by: UInt8.self, minimumSize: 4, make: { 0 }) {
      (coder, profile) throws(BoxError) in try coder.integer("", &profile)
    }
  }
}

/// NAL units of one type in an H.266 configuration.
package struct VVCUnitArray: Sendable, Hashable {
  /// Whether all units of the type are here and none among the samples.
  package var isComplete = false
  /// Kept as is.
  package var reserved: UInt8 = 0
  /// `nal_unit_type`.
  package var type: UInt8 = 0
  /// The units, without the lengths before them.
  package var units: [[UInt8]] = []

  /// An empty array.
  package init() {}

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.flag("array_completeness", &isComplete)
    try coder.reservedBits(&reserved, 2)
    try coder.bits("NAL_unit_type", &type, 5)
    // There is always exactly one set of operating points (12) or decoding capabilities (13), so no count is stored.
    if type == 12 || type == 13 {
      try NALUnits.code(&units, "nalUnits", count: 1, with: &coder)
    } else {
      try NALUnits.codeCounted(&units, "nalUnits", by: UInt16.self, with: &coder)
    }
  }
}
