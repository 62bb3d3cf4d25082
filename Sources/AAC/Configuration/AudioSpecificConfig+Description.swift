public import MediaCore

extension AudioSpecificConfig {
  /// The configuration in a track's description.
  ///
  /// - Throws: `AACError`: `.notAAC`, `.encrypted`, `.noConfiguration`, or what is wrong with the configuration.
  public init(_ description: SampleDescription) throws(AACError) {
    guard case .audio(let format) = description.format, description.codec == "mp4a",
      AudioSpecificConfig.isAAC(format.objectType)
    else {
      let name = description.codecName
      throw AACError(.notAAC(name.isEmpty ? description.codec.description : name))
    }
    if let protection = description.protection { throw AACError(.encrypted(protection.scheme)) }
    guard format.decoderConfiguration.isEmpty else {
      self = try AudioSpecificConfig(format.decoderConfiguration)
      return
    }
    // MPEG-2 AAC predates this configuration: its profile is in the indication, and the rest in the sample entry.
    guard let indication = format.objectType, AudioSpecificConfig.mpeg2.contains(indication),
      [1, 2, 3, 4, 5, 6, 8].contains(format.channels), let rate = UInt32(exactly: format.sampleRate)
    else { throw AACError(.noConfiguration) }
    self.init(
      objectType: indication - 0x65, sampleRate: rate,
      channelConfiguration: UInt8(format.channels == 8 ? 7 : format.channels))
  }

  /// Whether an object type indication means AAC: MPEG-4 audio, MPEG-2 AAC Main, LC and SSR. QuickTime files may have
  /// none. Source: ISO/IEC 14496-1, table 5.
  private static func isAAC(_ indication: UInt8?) -> Bool {
    guard let indication else { return true }
    return indication == 0x40 || mpeg2.contains(indication)
  }

  private static let mpeg2: ClosedRange<UInt8> = 0x66...0x68
}
