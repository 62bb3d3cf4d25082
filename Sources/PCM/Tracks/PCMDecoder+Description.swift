public import MediaCore

extension PCMDecoder {
  /// A decoder of a track's samples; `nil` if they are not PCM.
  ///
  /// - Throws: `AudioCodecError`, for PCM that is not supported, or makes no sense.
  public convenience init?(_ description: SampleDescription) throws(AudioCodecError) {
    guard case .audio(let audio) = description.format, let coding = audio.pcmCoding else { return nil }
    let (entry, channels) = (description.entry, audio.channels)
    let stated =
      CoreAudioLayout.stated(in: entry, channels: channels)
      ?? ISOChannelLayout.stated(in: entry, channels: channels)
    try self.init(
      coding, sampleRate: audio.sampleRate, channels: channels, layout: stated?.layout, order: stated?.order)
  }
}
