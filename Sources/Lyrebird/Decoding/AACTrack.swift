public import AAC
public import MP4
public import MediaCore

extension SampleDescription {
  /// What an encoder's packets are.
  ///
  /// - Parameters:
  ///   - encoder: which makes them.
  ///   - averageBitRate: bits a second; 0 where it varies and is not known.
  /// - Throws: `AACError` where its configuration cannot be written.
  public init(_ encoder: borrowing AACEncoder, averageBitRate: Int = 0) throws(AACError) {
    self = .aac(
      audioSpecificConfig: try encoder.configuration.written, sampleRate: encoder.format.sampleRate,
      channels: encoder.format.channels, averageBitRate: averageBitRate)
  }
}

extension MuxerTrack {
  /// The track that an encoder's packets make.
  ///
  /// - Parameters:
  ///   - encoder: which makes them.
  ///   - averageBitRate: bits a second; 0 where it varies and is not known.
  /// - Throws: `AACError` where its configuration cannot be written.
  public init(_ encoder: borrowing AACEncoder, averageBitRate: Int = 0) throws(AACError) {
    self.init(
      audio: try SampleDescription(encoder, averageBitRate: averageBitRate),
      timescale: UInt32(encoder.format.sampleRate),
      priming: Int64(encoder.priming), id: encoder.trackID)
  }
}
