/// Configuration of an MPEG-H 3D audio decoder.
///
/// Source: ISO/IEC 23008-3, 20.5.
package struct MHAConfigurationBox: Box {
  /// 1.
  package var configurationVersion: UInt8 = 1
  /// `mpegh3daProfileLevelIndication`: 0x0C low complexity level 2, 0x0D level 3.
  package var profileLevelIndication: UInt8 = 0
  /// `ChannelConfiguration` of ISO/IEC 23091-3: 2 is stereo, 6 is 5.1.
  package var referenceChannelLayout: UInt8 = 0
  /// `mpegh3daConfig`; may be empty if samples hold it.
  package var config: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("configurationVersion", &configurationVersion)
    try coder.integer("mpegh3daProfileLevelIndication", &profileLevelIndication)
    try coder.integer("referenceChannelLayout", &referenceChannelLayout)
    try coder.sizedBytes("mpegh3daConfig", &config, by: UInt16.self)
  }
}
