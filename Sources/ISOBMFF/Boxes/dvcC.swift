/// Properties of a Dolby Vision stream: `dvcC`, or `dvvC` and `dvwC` for newer profiles.
///
/// Source: Dolby Vision Streams Within the ISO Base Media File Format, 3.2.
package struct DolbyVisionConfigurationBox: Box {
  /// 1.
  package var majorVersion: UInt8 = 1
  /// 0.
  package var minorVersion: UInt8 = 0
  /// 5 or 8 for streams of one layer.
  package var profile: UInt8 = 0
  /// 1 to 13.
  package var level: UInt8 = 0
  /// Whether Dolby's metadata is present.
  package var hasMetadata = true
  /// Whether an enhancement layer is present.
  package var hasEnhancementLayer = false
  /// Whether a base layer is present.
  package var hasBaseLayer = true
  /// What the base layer looks like without Dolby Vision: 1 HDR10, 2 SDR, 4 HLG, 0 nothing usable.
  package var compatibilityID: UInt8 = 0
  /// How the metadata is compressed.
  package var metadataCompression: UInt8 = 0
  /// Kept as is.
  package var reserved1: UInt32 = 0
  /// Kept as is.
  package var reserved2: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("dv_version_major", &majorVersion)
    try coder.integer("dv_version_minor", &minorVersion)
    try coder.bits("dv_profile", &profile, 7)
    try coder.bits("dv_level", &level, 6)
    try coder.flag("rpu_present_flag", &hasMetadata)
    try coder.flag("el_present_flag", &hasEnhancementLayer)
    try coder.flag("bl_present_flag", &hasBaseLayer)
    try coder.bits("dv_bl_signal_compatibility_id", &compatibilityID, 4)
    try coder.bits("dv_md_compression", &metadataCompression, 2)
    try coder.reservedBits(&reserved1, 26)
    try coder.reserved(&reserved2, count: 16)
  }
}
