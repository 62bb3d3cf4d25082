internal import MediaCore

// AudioSpecificConfig() from bytes, in the order of ISO/IEC 14496-3, 1.6.2.1.
extension AudioSpecificConfig {
  /// Reads a configuration, as stored in an `esds` box.
  ///
  /// Object types outside the general audio family (CELP, ALS, ...) are recognized, but their own configuration is not
  /// read.
  ///
  /// - Throws: `AACError`: `.truncated`, `.invalidValue`, with the field.
  public init(_ bytes: some Collection<UInt8>) throws(AACError) {
    var reader = FieldReader(bytes)
    try self.init(from: &reader, isToEnd: true)
  }

  /// Reads a configuration from where a reader is.
  ///
  /// - Parameters:
  ///   - reader: its first bit is the configuration's, from which byte alignment counts.
  ///   - isToEnd: whether the configuration goes to the end of the data, so that an extension may follow it.
  init(from reader: inout FieldReader, isToEnd: Bool) throws(AACError) {
    self.init(sampleRate: 0, channelConfiguration: 0)
    frameLength = nil
    objectType = try reader.objectType("audioObjectType")
    sampleRate = try reader.samplingFrequency("samplingFrequency")
    channelConfiguration = UInt8(try reader.bits(4, "channelConfiguration"))
    if objectType == ObjectType.sbr || objectType == ObjectType.ps {
      extensionSignalling = .explicit
      hasSBR = true
      if objectType == ObjectType.ps { hasPS = true }
      extensionSampleRate = try reader.samplingFrequency("extensionSamplingFrequency")
      objectType = try reader.objectType("audioObjectType")
      if objectType == ObjectType.bsac { _ = try reader.bits(4, "extensionChannelConfiguration") }
    }
    try readSpecificConfig(from: &reader)
    if isToEnd, [1, 2, 3, 4, 6, 7].contains(objectType), extensionSignalling == .none {
      readSyncExtension(from: reader)
    }
  }

  private mutating func readSpecificConfig(from reader: inout FieldReader) throws(AACError) {
    switch objectType {
    case 1...4, 6, 7:
      try readGeneralAudio(from: &reader)
    case 17, 19...23:
      // Error protection settings follow these: without reading them, an extension cannot be recognized.
      try readGeneralAudio(from: &reader)
    case ObjectType.lowDelayEnhanced:
      frameLength = try reader.flag("frameLengthFlag") ? 480 : 512
    case ObjectType.usac:
      try readUSAC(from: &reader)
    default:
      break
    }
  }

  /// GASpecificConfig: 4.4.1, table 4.1.
  private mutating func readGeneralAudio(from reader: inout FieldReader) throws(AACError) {
    let isShort = try reader.flag("frameLengthFlag")
    frameLength = objectType == ObjectType.lowDelay ? (isShort ? 480 : 512) : (isShort ? 960 : 1024)
    if try reader.flag("dependsOnCoreCoder") { coreCoderDelay = UInt16(try reader.bits(14, "coreCoderDelay")) }
    let hasExtension = try reader.flag("extensionFlag")
    if channelConfiguration == 0 { programConfig = try reader.programConfig("program_config_element") }
    if objectType == 6 || objectType == 20 { _ = try reader.bits(3, "layerNr") }
    guard hasExtension else { return }
    if objectType == ObjectType.bsac { _ = try reader.bits(16, "numOfSubFrame") }
    if [17, 19, 20, 23].contains(objectType) { _ = try reader.bits(3, "aacSectionDataResilienceFlag") }
    // Reserved, and the last bit: nothing depends on whether it is present.
    _ = try? reader.flag("extensionFlag3")
  }

  /// The backward compatible extension. An incomplete one is ignored: old decoders were never meant to look here, so
  /// some files have arbitrary bytes in this position.
  private mutating func readSyncExtension(from reader: FieldReader) {
    var reader = reader
    guard reader.remaining >= 16, (try? reader.bits(11, "syncExtensionType")) == 0x2B7,
      (try? reader.objectType("extensionAudioObjectType")) == ObjectType.sbr,
      let isPresent = try? reader.flag("sbrPresentFlag")
    else { return }
    guard isPresent else {
      extensionSignalling = .backwardCompatible
      hasSBR = false
      return
    }
    guard let frequency = try? reader.samplingFrequency("extensionSamplingFrequency") else { return }
    extensionSignalling = .backwardCompatible
    hasSBR = true
    extensionSampleRate = frequency
    if reader.remaining >= 12, (try? reader.bits(11, "syncExtensionType")) == 0x548 {
      hasPS = try? reader.flag("psPresentFlag")
    }
  }

  /// The beginning of UsacConfig: ISO/IEC 23003-3, 5.2 and table 70.
  private mutating func readUSAC(from reader: inout FieldReader) throws(AACError) {
    if try reader.bits(5, "usacSamplingFrequencyIndex") == 0x1F { _ = try reader.bits(24, "usacSamplingFrequency") }
    let lengths = [768, 1024, 2048, 2048, 4096]
    let index = Int(try reader.bits(3, "coreSbrFrameLengthIndex"))
    guard index < lengths.count else {
      throw AACError(.invalidValue(Int64(index)), field: "coreSbrFrameLengthIndex")
    }
    frameLength = lengths[index]
  }
}

/// The object types that change how a configuration is read.
enum ObjectType {
  static let sbr: UInt8 = 5
  static let bsac: UInt8 = 22
  static let lowDelay: UInt8 = 23
  static let ps: UInt8 = 29
  static let lowDelayEnhanced: UInt8 = 39
  static let usac: UInt8 = 42
}
