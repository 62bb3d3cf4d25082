public import AAC
public import MP4
public import MediaCore

extension SampleDescription {
  /// The description of an encoder's packets.
  ///
  /// - Parameters:
  ///   - encoder: the encoder of the packets.
  ///   - averageBitRate: bits a second; 0 if it varies and is not known.
  /// - Throws: `AACError` where its configuration cannot be written.
  public init(_ encoder: borrowing AACEncoder, averageBitRate: Int = 0) throws(AACError) {
    self = .aac(
      audioSpecificConfig: try encoder.configuration.written, sampleRate: encoder.format.sampleRate,
      channels: encoder.format.channels, averageBitRate: averageBitRate)
  }
}

extension MuxerTrack {
  /// The track of an encoder's packets.
  ///
  /// - Parameters:
  ///   - encoder: the encoder of the packets.
  ///   - averageBitRate: bits a second; 0 if it varies and is not known.
  /// - Throws: `AACError` where its configuration cannot be written.
  public init(_ encoder: borrowing AACEncoder, averageBitRate: Int = 0) throws(AACError) {
    self.init(
      audio: try SampleDescription(encoder, averageBitRate: averageBitRate),
      timescale: UInt32(encoder.format.sampleRate),
      priming: Int64(encoder.priming), id: encoder.trackID)
    // As iTunes has it, and as ffmpeg's older versions expect, which otherwise skip twice the priming.
    let core = encoder.configuration.sampleRate
    if core != track.timescale { coarseTimescale = core }
  }
}
