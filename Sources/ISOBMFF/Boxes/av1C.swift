/// Configuration of an AV1 decoder.
///
/// Source: AV1 Codec ISO Media File Format Binding, 2.3.
package struct AV1CodecConfigurationBox: Box {
  /// Always set.
  package var marker = true
  /// 1.
  package var version: UInt8 = 1
  /// `seq_profile`: 0 main, 1 high, 2 professional.
  package var profile: UInt8 = 0
  /// `seq_level_idx` of the first operating point; 31 for no limits.
  package var level: UInt8 = 0
  /// Whether the level is of the high tier.
  package var isHighTier = false
  /// Whether samples have more than 8 bits.
  package var isHighBitDepth = false
  /// Whether samples have 12 bits.
  package var isTwelveBit = false
  /// Whether there is no colour.
  package var isMonochrome = false
  /// Whether chroma has half the width.
  package var isChromaSubsampledX = true
  /// Whether chroma has half the height.
  package var isChromaSubsampledY = true
  /// Position of chroma samples: 1 vertically between, 2 on the luma samples, 0 unknown.
  package var chromaSamplePosition: UInt8 = 0
  /// Kept as is.
  package var reserved: UInt8 = 0
  /// Whether `initialPresentationDelayMinusOne` is valid.
  package var hasInitialPresentationDelay = false
  /// Samples to decode before presentation begins, minus one.
  package var initialPresentationDelayMinusOne: UInt8 = 0
  /// Open bitstream units (OBUs) that precede all others: the sequence header.
  package var configOBUs: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.flag("marker", &marker)
    try coder.bits("version", &version, 7)
    try coder.bits("seq_profile", &profile, 3)
    try coder.bits("seq_level_idx_0", &level, 5)
    try coder.flag("seq_tier_0", &isHighTier)
    try coder.flag("high_bitdepth", &isHighBitDepth)
    try coder.flag("twelve_bit", &isTwelveBit)
    try coder.flag("monochrome", &isMonochrome)
    try coder.flag("chroma_subsampling_x", &isChromaSubsampledX)
    try coder.flag("chroma_subsampling_y", &isChromaSubsampledY)
    try coder.bits("chroma_sample_position", &chromaSamplePosition, 2)
    try coder.reservedBits(&reserved, 3)
    try coder.flag("initial_presentation_delay_present", &hasInitialPresentationDelay)
    try coder.bits("initial_presentation_delay_minus_one", &initialPresentationDelayMinusOne, 4)
    try coder.rest("configOBUs", &configOBUs)
  }

  /// Bits per sample: 8, 10 or 12.
  package var bitDepth: Int { isHighBitDepth ? (isTwelveBit ? 12 : 10) : 8 }
}
