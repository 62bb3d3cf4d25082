internal import MediaCore

/// How the packets of one sample description become ADTS frames.
struct ADTSFraming {
  /// The header, except for the frame's length.
  let header: ADTSBits
  /// What precedes the first packet: a program_config_element if the header cannot express the channels.
  let prefix: [UInt8]

  /// The framing for a description.
  ///
  /// - Throws: `AACError` if ADTS cannot carry such packets, or they are not AAC at all.
  init(_ description: SampleDescription) throws(AACError) {
    try self.init(try AudioSpecificConfig(description))
  }

  /// The framing for a configuration.
  ///
  /// - Throws: `AACError` if ADTS cannot carry such packets.
  init(_ config: AudioSpecificConfig) throws(AACError) {
    let header = try ADTSHeader(config: config, payloadSize: 0)
    self.header = header.bits
    prefix = config.channelConfiguration == 0 ? config.programConfig?.packetElement ?? [] : []
  }

  /// Whether a packet already has the prefix, as packets from another ADTS stream do.
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
}
