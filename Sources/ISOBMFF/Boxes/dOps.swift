/// Configuration of an Opus decoder.
///
/// Source: Encapsulation of Opus in ISO Base Media File Format, 4.3.2.
package struct OpusSpecificBox: Box {
  /// 0.
  package var version: UInt8 = 0
  /// Number of channels.
  package var outputChannelCount: UInt8 = 2
  /// Samples at 48 kHz to drop at the start.
  package var preSkip: UInt16 = 0
  /// The rate before encoding, in Hz: for information only, as decoding yields 48 kHz.
  package var inputSampleRate: UInt32 = 48000
  /// Gain to apply to the output, in decibels, 8.8.
  package var outputGain: Int16 = 0
  /// 0 for mono and stereo, 1 for surround in Vorbis order, 255 for channels without a defined meaning.
  package var channelMappingFamily: UInt8 = 0
  /// Opus streams per packet, if the family is not 0.
  package var streamCount: UInt8 = 1
  /// How many of the streams are stereo.
  package var coupledCount: UInt8 = 0
  /// Which decoded channel feeds each output channel; 255 for silence.
  package var channelMapping: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("Version", &version)
    try coder.integer("OutputChannelCount", &outputChannelCount)
    try coder.integer("PreSkip", &preSkip)
    try coder.integer("InputSampleRate", &inputSampleRate)
    try coder.fixed("OutputGain", &outputGain, fractionBits: 8)
    try coder.integer("ChannelMappingFamily", &channelMappingFamily)
    guard channelMappingFamily != 0 else { return }
    try coder.integer("StreamCount", &streamCount)
    try coder.integer("CoupledCount", &coupledCount)
    try coder.bytes("ChannelMapping", &channelMapping, count: Int(outputChannelCount))
  }
}
