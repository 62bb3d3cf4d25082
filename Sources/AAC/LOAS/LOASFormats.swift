internal import MediaCore

/// The configurations found so far in a LOAS stream, as descriptions of a track.
struct LOASFormats: Sendable {
  /// The format that a packet's configuration gives it.
  struct Format {
    /// Which of the descriptions applies.
    let index: Int
    /// Frames of a packet, of the core where there is SBR.
    let frameLength: Int64
    /// Sampling rate of the core in Hz.
    let sampleRate: UInt32
  }

  private(set) var descriptions: [SampleDescription] = []
  private var formats: [Format] = []
  private var keys: [[UInt8]] = []
  private var current = 0

  /// Most streams have one. Damage can make up any number of them.
  private static let most = 256

  /// The format of packets with this AudioSpecificConfig; its description is made now if it is the first.
  ///
  /// - Throws: `AACError`: what is wrong with the configuration, or `.notDecodable` where there are too many of them.
  mutating func format(of config: [UInt8]) throws(AACError) -> Format {
    if current < keys.count, keys[current] == config { return formats[current] }
    if let known = keys.firstIndex(of: config) {
      current = known
      return formats[known]
    }
    let parsed = try AudioSpecificConfig(config)
    guard keys.count < LOASFormats.most else {
      throw AACError(.notDecodable("a stream of more than \(LOASFormats.most) configurations"))
    }
    current = keys.count
    keys.append(config)
    descriptions.append(LOASFormats.describe(parsed, written: config))
    formats.append(
      Format(index: current, frameLength: Int64(parsed.frameLength ?? 1024), sampleRate: parsed.sampleRate))
    return formats[current]
  }

  private static func describe(_ config: AudioSpecificConfig, written: [UInt8]) -> SampleDescription {
    let format = AudioTrackFormat(
      sampleRate: Double(config.outputSampleRate), channels: config.outputChannels, bitsPerSample: 16,
      objectType: 0x40, decoderConfiguration: written)
    return SampleDescription(
      entryType: "mp4a", codec: "mp4a", codecName: config.name, codecString: config.codecString,
      format: .audio(format))
  }
}
