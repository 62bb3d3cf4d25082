/// Configuration of an H.265 decoder.
///
/// Source: ISO/IEC 14496-15, 8.3.2.
package struct HEVCConfigurationBox: Box {
  /// 1.
  package var configurationVersion: UInt8 = 1
  /// The profile space of `profile`; 0 in practice.
  package var profileSpace: UInt8 = 0
  /// Whether levels are of the high tier.
  package var isHighTier = false
  /// `general_profile_idc`: 1 main, 2 main 10.
  package var profile: UInt8 = 1
  /// One flag for each profile that the stream conforms to, profile 0 highest.
  package var profileCompatibility: UInt32 = 0
  /// 48 flags: progressive, interlaced, non-packed, frames only, then those of the profile.
  package var constraints: UInt64 = 0
  /// `general_level_idc`: thirty times the level.
  package var level: UInt8 = 0
  /// Kept as is.
  package var reserved1: UInt8 = 0xF
  /// How finely pictures are divided at least; 0 if unknown.
  package var minimumSpatialSegmentation: UInt16 = 0
  /// Kept as is.
  package var reserved2: UInt8 = 0x3F
  /// How pictures can be decoded in parallel: 1 slices, 2 tiles, 3 wavefronts, 0 mixed or unknown.
  package var parallelismType: UInt8 = 0
  /// Kept as is.
  package var reserved3: UInt8 = 0x3F
  /// `chroma_format_idc`: 1 for 4:2:0.
  package var chromaFormat: UInt8 = 1
  /// Kept as is.
  package var reserved4: UInt8 = 0x1F
  /// Bits of a luma sample, minus eight.
  package var bitDepthLumaMinus8: UInt8 = 0
  /// Kept as is.
  package var reserved5: UInt8 = 0x1F
  /// Bits of a chroma sample, minus eight.
  package var bitDepthChromaMinus8: UInt8 = 0
  /// Frames in 256 seconds; 0 if unspecified.
  package var averageFrameRate: UInt16 = 0
  /// 1 if the frame rate is constant, 2 if it is constant in each temporal layer.
  package var constantFrameRate: UInt8 = 0
  /// Number of temporal layers; 0 if unknown.
  package var temporalLayers: UInt8 = 0
  /// Whether decoding can switch up to a higher temporal layer anywhere.
  package var isTemporalIDNested = false
  /// Size in bytes of the length before each NAL unit, minus one.
  package var lengthSizeMinusOne: UInt8 = 3
  /// Parameter sets and the like, by type.
  package var arrays: [NALUnitArray] = []

  /// Bytes of the length before each NAL unit in samples: 1 to 4.
  package var lengthSize: Int { Int(lengthSizeMinusOne & 3) + 1 }

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("configurationVersion", &configurationVersion)
    try coder.bits("general_profile_space", &profileSpace, 2)
    try coder.flag("general_tier_flag", &isHighTier)
    try coder.bits("general_profile_idc", &profile, 5)
    try coder.integer("general_profile_compatibility_flags", &profileCompatibility)
    try coder.bits("general_constraint_indicator_flags", &constraints, 48)
    try coder.integer("general_level_idc", &level)
    try coder.reservedBits(&reserved1, 4)
    try coder.bits("min_spatial_segmentation_idc", &minimumSpatialSegmentation, 12)
    try coder.reservedBits(&reserved2, 6)
    try coder.bits("parallelismType", &parallelismType, 2)
    try coder.reservedBits(&reserved3, 6)
    try coder.bits("chroma_format_idc", &chromaFormat, 2)
    try coder.reservedBits(&reserved4, 5)
    try coder.bits("bit_depth_luma_minus8", &bitDepthLumaMinus8, 3)
    try coder.reservedBits(&reserved5, 5)
    try coder.bits("bit_depth_chroma_minus8", &bitDepthChromaMinus8, 3)
    try coder.integer("avgFrameRate", &averageFrameRate)
    try coder.bits("constantFrameRate", &constantFrameRate, 2)
    try coder.bits("numTemporalLayers", &temporalLayers, 3)
    try coder.flag("temporalIdNested", &isTemporalIDNested)
    try coder.bits("lengthSizeMinusOne", &lengthSizeMinusOne, 2)
    try coder.countedList("arrays", &arrays, by: UInt8.self, minimumSize: 3, make: NALUnitArray.init) {
      (coder, array) throws(BoxError) in try array.code(with: &coder)
    }
  }
}

/// NAL units of one type in a decoder's configuration.
package struct NALUnitArray: Sendable, Hashable {
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
    try coder.reservedBits(&reserved, 1)
    try coder.bits("NAL_unit_type", &type, 6)
    try NALUnits.codeCounted(&units, "nalUnits", by: UInt16.self, with: &coder)
  }
}
