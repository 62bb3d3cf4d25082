internal import MediaCore

/// How the packets of one sample description become ADTS frames.
struct ADTSFraming {
  /// The header, but for the frame's length.
  let header: ADTSBits
  /// What stands ahead of the first packet: a program_config_element where the header cannot name the channels.
  let prefix: [UInt8]

  /// The framing for a description.
  ///
  /// - Throws: `AACError` where ADTS cannot carry such packets, or they are not AAC at all.
  init(_ description: SampleDescription) throws(AACError) {
    guard case .audio(let format) = description.format, description.codec == "mp4a",
      ADTSFraming.isAAC(format.objectType)
    else { throw AACError(.notAAC(ADTSFraming.name(of: description))) }
    if let protection = description.protection { throw AACError(.encrypted(protection.scheme)) }
    try self.init(try ADTSFraming.configuration(of: format))
  }

  /// The framing for a configuration.
  ///
  /// - Throws: `AACError` where ADTS cannot carry such packets.
  init(_ config: AudioSpecificConfig) throws(AACError) {
    let header = try ADTSHeader(config: config, payloadSize: 0)
    self.header = header.bits
    prefix = config.channelConfiguration == 0 ? config.programConfig?.packetElement ?? [] : []
  }

  /// Whether a packet has the prefix already, as those have that come from another ADTS stream.
  func isPrefixed(_ packet: MediaData) throws(AACError) -> Bool {
    guard !prefix.isEmpty, packet.count >= prefix.count else { return prefix.isEmpty }
    var head = packet
    if case .range(let reader, let offset, _) = packet { head = .range(reader, offset: offset, count: prefix.count) }
    do {
      return try head.load().starts(with: prefix)
    } catch {
      throw AACError(.source(error))
    }
  }

  /// Whether an object type indication means AAC: MPEG-4 audio, MPEG-2 AAC Main, LC and SSR. QuickTime files may have
  /// none. Source: ISO/IEC 14496-1, table 5.
  private static func isAAC(_ indication: UInt8?) -> Bool {
    guard let indication else { return true }
    return indication == 0x40 || mpeg2.contains(indication)
  }

  private static let mpeg2: ClosedRange<UInt8> = 0x66...0x68

  /// What messages call the codec.
  private static func name(of description: SampleDescription) -> String {
    description.codecName.isEmpty ? description.codec.description : description.codecName
  }

  private static func configuration(of format: AudioTrackFormat) throws(AACError) -> AudioSpecificConfig {
    guard format.decoderConfiguration.isEmpty else { return try AudioSpecificConfig(format.decoderConfiguration) }
    // MPEG-2 AAC came before this configuration: its profile is in the indication, and the rest in the sample entry.
    guard let indication = format.objectType, mpeg2.contains(indication),
      [1, 2, 3, 4, 5, 6, 8].contains(format.channels), let rate = UInt32(exactly: format.sampleRate)
    else { throw AACError(.noConfiguration) }
    return AudioSpecificConfig(
      objectType: indication - 0x65, samplingFrequency: rate,
      channelConfiguration: UInt8(format.channels == 8 ? 7 : format.channels))
  }
}
