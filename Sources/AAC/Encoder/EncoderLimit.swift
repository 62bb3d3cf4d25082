public import MediaCore

extension AACError {
  /// A limit of the encoder.
  public enum EncoderLimit: Sendable, Hashable {
    /// A sampling rate in Hz without a code in AAC.
    case sampleRate(Int)
    /// A layout that no channel configuration has: its number of loudspeakers.
    case channels(Int)
    /// Bits per second that are too few or too many, and the possible range.
    case bitRate(Int, ClosedRange<Int>)
    /// A quality other than 1 to 5.
    case quality(Int)
    /// A format that HE-AAC cannot encode: neither mono nor stereo, or at a rate whose half AAC does not have.
    case highEfficiency(AudioFormat)
    /// A format that HE-AAC v2 cannot encode: not stereo, or at a rate whose half AAC does not have.
    case parametricStereo(AudioFormat)
    /// A low delay for HE-AAC, which has none.
    case lowDelay
    /// A constant quality for HE-AAC, which has none.
    case constantQuality
    /// A buffer whose format is not the one the encoder was made for.
    case format(AudioFormat)
  }
}

extension AACError.EncoderLimit: CustomStringConvertible {
  /// Says what is not possible, and what is.
  public var description: String {
    switch self {
    case .sampleRate(let rate):
      "AAC cannot encode \(rate) Hz; it can encode 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, "
        + "64000, 88200 and 96000 Hz"
    case .channels(let count):
      "AAC cannot encode \(count) channels in this layout; it can encode mono, stereo, 3.0, 4.0, 5.0, 5.1, 6.1 and 7.1"
    case .bitRate(let rate, let range):
      "\(rate) b/s is out of range for this sound; use \(range.lowerBound) to \(range.upperBound)"
    case .quality(let quality): "there is no quality \(quality); use 1 to 5"
    case .highEfficiency(let format):
      "HE-AAC cannot encode \(format.channelText) at \(format.sampleRate) Hz; it can encode mono and stereo at "
        + "16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200 and 96000 Hz"
    case .parametricStereo(let format):
      "HE-AAC v2 cannot encode \(format.channelText) at \(format.sampleRate) Hz; it can encode stereo at 16000, "
        + "22050, 24000, 32000, 44100, 48000, 64000, 88200 and 96000 Hz"
    case .constantQuality: "HE-AAC has no constant quality; give a bit rate, or use AAC-LC"
    case .lowDelay: "HE-AAC has no low delay, because its filters take longer in any case; use AAC-LC"
    case .format(let format):
      "a buffer of \(format.channelText) at \(format.sampleRate) Hz; the encoder was made for another format"
    }
  }
}
