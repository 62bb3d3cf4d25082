/// Configuration of an Apple Lossless decoder: the "magic cookie".
///
/// It has the same type as the sample entry around it. Source: Apple Lossless Format, ALACSpecificConfig.
package struct AppleLosslessSpecificBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Frames per packet.
  package var frameLength: UInt32 = 4096
  /// 0.
  package var compatibleVersion: UInt8 = 0
  /// Bits per sample: 16, 20, 24 or 32.
  package var bitDepth: UInt8 = 16
  /// Tuning of the Rice coder: 40.
  package var riceHistoryMultiplier: UInt8 = 40
  /// Tuning of the Rice coder: 10.
  package var riceInitialHistory: UInt8 = 10
  /// Tuning of the Rice coder: 14.
  package var riceParameterLimit: UInt8 = 14
  /// Number of channels.
  package var channelCount: UInt8 = 2
  /// Unused.
  package var maximumRun: UInt16 = 255
  /// Bytes of the largest packet; 0 if unknown.
  package var maximumFrameBytes: UInt32 = 0
  /// Bits per second; 0 if unknown.
  package var averageBitrate: UInt32 = 0
  /// Samples per second.
  package var sampleRate: UInt32 = 44100

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("frameLength", &frameLength)
    try coder.integer("compatibleVersion", &compatibleVersion)
    try coder.integer("bitDepth", &bitDepth)
    try coder.integer("pb", &riceHistoryMultiplier)
    try coder.integer("mb", &riceInitialHistory)
    try coder.integer("kb", &riceParameterLimit)
    try coder.integer("numChannels", &channelCount)
    try coder.integer("maxRun", &maximumRun)
    try coder.integer("maxFrameBytes", &maximumFrameBytes)
    try coder.integer("avgBitRate", &averageBitrate)
    try coder.integer("sampleRate", &sampleRate)
  }
}
