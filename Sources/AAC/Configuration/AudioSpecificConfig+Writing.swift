internal import MediaCore

// AudioSpecificConfig() to bytes, in the order of ISO/IEC 14496-3, 1.6.2.1.
extension AudioSpecificConfig {
  /// The configuration as stored in an `esds` box, for object types 1 to 4, with SBR and PS according to
  /// `extensionSignalling`. A rate that has a code is written as that code.
  ///
  /// - Throws: `AACError`: `.cannotWrite` for other object types, `.invalidValue` for a sampling rate of 0 or of more
  ///   than 24 bits, a channel configuration above 15, a frame length other than 1024 or 960, or configuration 0
  ///   without a `programConfig`.
  public var written: [UInt8] {
    get throws(AACError) {
      guard (1...4).contains(objectType) else { throw AACError(.cannotWrite(objectType: objectType)) }
      guard channelConfiguration < 16, channelConfiguration != 0 || programConfig != nil else {
        throw AACError(.invalidValue(Int64(channelConfiguration)), field: "channelConfiguration")
      }
      guard frameLength == 1024 || frameLength == 960 else {
        throw AACError(.invalidValue(Int64(clamping: frameLength ?? 0)), field: "frameLengthFlag")
      }
      var writer = BitWriter()
      writer.append(UInt32(signalledObjectType), bits: 5)
      try write(frequency: sampleRate, to: &writer)
      writer.append(UInt32(channelConfiguration), bits: 4)
      if extensionSignalling == .explicit {
        try write(frequency: outputSampleRate, to: &writer)
        writer.append(UInt32(objectType), bits: 5)
      }
      writeGeneralAudio(to: &writer)
      if extensionSignalling == .backwardCompatible { try writeSyncExtension(to: &writer) }
      return writer.bytes
    }
  }

  private func write(frequency: UInt32, to writer: inout BitWriter) throws(AACError) {
    if let index = SamplingFrequency.index(of: frequency) {
      writer.append(UInt32(index), bits: 4)
      return
    }
    guard (1...0xFF_FFFF).contains(frequency) else {
      throw AACError(.invalidValue(Int64(frequency)), field: "samplingFrequency")
    }
    writer.append(UInt32(SamplingFrequency.escape), bits: 4)
    writer.append(frequency, bits: 24)
  }

  private func writeGeneralAudio(to writer: inout BitWriter) {
    writer.append(frameLength == 960)
    writer.append(dependsOnCoreCoder)
    if let coreCoderDelay { writer.append(UInt32(coreCoderDelay), bits: 14) }
    writer.append(false)
    if channelConfiguration == 0 { programConfig?.write(to: &writer) }
  }

  private func writeSyncExtension(to writer: inout BitWriter) throws(AACError) {
    writer.append(0x2B7, bits: 11)
    writer.append(UInt32(ObjectType.sbr), bits: 5)
    writer.append(hasSBR == true)
    guard hasSBR == true else { return }
    try write(frequency: outputSampleRate, to: &writer)
    guard let hasPS else { return }
    writer.append(0x548, bits: 11)
    writer.append(hasPS)
  }
}
