public import AAC
public import MP4
public import MediaCore

extension SampleDescription {
  /// What an encoder's packets are.
  ///
  /// - Throws: `AACError` where its configuration cannot be written.
  public init(_ encoder: borrowing AACEncoder) throws(AACError) {
    self = .aac(
      audioSpecificConfig: try encoder.configuration.written, sampleRate: encoder.format.sampleRate,
      channels: encoder.format.channels)
  }
}

extension MuxerTrack {
  /// The track that an encoder's packets make.
  ///
  /// - Throws: `AACError` where its configuration cannot be written.
  public init(_ encoder: borrowing AACEncoder) throws(AACError) {
    self.init(
      audio: try SampleDescription(encoder), timescale: UInt32(encoder.format.sampleRate),
      priming: Int64(encoder.priming), id: encoder.trackID)
  }
}
