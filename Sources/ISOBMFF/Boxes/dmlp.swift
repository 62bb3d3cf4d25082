/// Properties of a Dolby TrueHD (MLP) stream.
///
/// Source: Dolby, "MLP (Dolby TrueHD) streams within the ISO base media file format", 3.3.
package struct MLPSpecificBox: Box {
  /// Rate: 0 is 48 kHz, 1 96 kHz, 2 192 kHz, 8 44.1 kHz, 9 88.2 kHz, 10 176.4 kHz.
  package var sampleRateCode: UInt8 = 0
  /// Modifiers and multichannel types of the presentations with two and six channels.
  package var modifiers: UInt8 = 0
  /// The channels of the six-channel presentation, one flag per group.
  package var sixChannelAssignment: UInt8 = 0
  /// Modifier of the eight-channel presentation.
  package var eightChannelModifier: UInt8 = 0
  /// The channels of the eight-channel presentation, one flag per group; 0 if there is none.
  package var eightChannelAssignment: UInt16 = 0
  /// Peak bit rate, in units of a sixteenth of the sampling rate.
  package var peakDataRate: UInt16 = 0
  /// Kept as is.
  package var reserved1: UInt8 = 0
  /// Kept as is.
  package var reserved2: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("audio_sampling_frequency", &sampleRateCode, 4)
    try coder.bits("modifiers", &modifiers, 8)
    try coder.bits("6ch_presentation_channel_assignment", &sixChannelAssignment, 5)
    try coder.bits("8ch_presentation_channel_modifier", &eightChannelModifier, 2)
    try coder.bits("8ch_presentation_channel_assignment", &eightChannelAssignment, 13)
    try coder.bits("peak_data_rate", &peakDataRate, 15)
    try coder.bits("reserved", &reserved1, 1)
    try coder.reserved(&reserved2, count: 4)
  }

  /// Samples per second; 0 for a reserved code.
  package var sampleRate: UInt32 {
    let base: UInt32 = sampleRateCode & 8 == 0 ? 48_000 : 44_100
    return sampleRateCode & 7 <= 2 ? base << UInt32(sampleRateCode & 7) : 0
  }

  /// Number of channels of the largest presentation.
  package var channelCount: Int {
    let flags = eightChannelAssignment != 0 ? eightChannelAssignment : UInt16(sixChannelAssignment)
    // Single channels: C, LFE, Cs, Ts, Cvh, LFE2; the others are pairs.
    let singles: UInt16 = 0b1_1001_1000_0110
    return 2 * flags.nonzeroBitCount - (flags & singles).nonzeroBitCount
  }
}
