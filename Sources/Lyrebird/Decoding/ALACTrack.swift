public import ALAC
public import MP4
public import MediaCore

extension SampleDescription {
  /// The description of an encoder's packets.
  ///
  /// - Parameter encoder: the encoder of the packets.
  public init(_ encoder: ALACEncoder) {
    self = .appleLossless(
      configuration: encoder.configuration.written, sampleRate: encoder.format.sampleRate,
      channels: encoder.format.channels, bitDepth: encoder.configuration.bitDepth)
  }
}

extension MuxerTrack {
  /// The track of an encoder's packets.
  ///
  /// - Parameter encoder: the encoder of the packets.
  public init(_ encoder: ALACEncoder) {
    self.init(
      audio: SampleDescription(encoder), timescale: UInt32(encoder.format.sampleRate), id: encoder.trackID)
  }
}
