internal import MediaCore

/// The configurations found so far in the frames of a stream, as descriptions of a track.
///
/// There can be no more than headers can distinguish: 4 profiles, 13 rates and 8 channel configurations.
struct ADTSFormats: Sendable {
  private(set) var descriptions: [SampleDescription] = []
  private var keys: [UInt64] = []
  private var current = 0

  /// The index of a frame's description, made now if it is the first of its kind.
  @inline(__always)
  mutating func index(of frame: ADTSScanner.Frame, scanner: inout ADTSScanner) throws(AACError) -> Int {
    var bits = frame.bits
    // A decoder does not care which standard a frame follows.
    bits[.id] = 0
    let key = bits.streamKey
    if current < keys.count, keys[current] == key { return current }
    return try find(key, frame: frame, scanner: &scanner)
  }

  private mutating func find(
    _ key: UInt64, frame: ADTSScanner.Frame, scanner: inout ADTSScanner
  ) throws(AACError) -> Int {
    if let known = keys.firstIndex(of: key) {
      current = known
      return known
    }
    descriptions.append(try ADTSFormats.describe(frame, scanner: &scanner))
    keys.append(key)
    current = keys.count - 1
    return current
  }

  private static func describe(
    _ frame: ADTSScanner.Frame, scanner: inout ADTSScanner
  ) throws(AACError) -> SampleDescription {
    let bits = frame.bits
    var programConfig: ProgramConfig?
    if bits[.channelConfiguration] == 0 {
      // With several packets and checksums, the first packet begins where the positions end.
      let start = frame.offset + min(bits.headerSize, bits[.frameLength])
      let count = min(Int(frame.end - start), ProgramConfig.maximumSize)
      programConfig = ProgramConfig(packet: try scanner.bytes(at: start, count: count))
    }
    let config = AudioSpecificConfig(
      objectType: UInt8(bits[.profile]) + 1,
      sampleRate: SamplingFrequency.frequency(at: UInt8(bits[.samplingFrequencyIndex])) ?? 0,
      channelConfiguration: UInt8(bits[.channelConfiguration]), programConfig: programConfig)
    let format = AudioTrackFormat(
      sampleRate: Double(config.outputSampleRate), channels: config.outputChannels, bitsPerSample: 16,
      objectType: 0x40, decoderConfiguration: (try? config.written) ?? [])
    return SampleDescription(
      entryType: "mp4a", codec: "mp4a", codecName: config.name, codecString: config.codecString,
      format: .audio(format))
  }
}
