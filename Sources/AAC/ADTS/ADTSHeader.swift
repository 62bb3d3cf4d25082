internal import MediaCore

/// The header before every frame of an .aac file: what a decoder needs to start anywhere in it.
///
/// An MP4 file states once how its AAC is coded. A stream that is cut, joined or tuned into cannot, so ADTS repeats it:
/// 7 bytes before each packet, 9 with a checksum. With a checksum, a frame of several packets also lists where they
/// begin.
///
/// Source: ISO/IEC 14496-3, 1.A.3.2 (adts_fixed_header, adts_variable_header, adts_error_check).
public struct ADTSHeader: Sendable, Hashable {
  /// ID: whether the frame follows MPEG-2 (ISO/IEC 13818-7) rather than MPEG-4.
  public var isMPEG2 = false
  /// The audio object type, 1 to 4; the header holds it minus 1.
  public var objectType: UInt8
  /// Code of the sampling rate, 0 to 12.
  public var samplingFrequencyIndex: UInt8
  /// private_bit: for private use by the encoder.
  public var isPrivate = false
  /// The channel configuration, 0 to 7; 0 means that a program_config_element in the packets describes the channels.
  public var channelConfiguration: UInt8
  /// original_copy: whether this is the original and not a copy, as the encoder was told. Decoders ignore it.
  public var isOriginal = false
  /// home: set by the encoder, like `isOriginal`. Decoders ignore it, too.
  public var isHome = false
  /// copyright_identification_bit: one bit per frame of a 72-bit number.
  public var copyrightBit = false
  /// copyright_identification_start: whether that number begins here.
  public var copyrightStart = false
  /// aac_frame_length: bytes of the frame, header included, `headerSize` to 8191.
  public var frameSize: Int
  /// adts_buffer_fullness: 0 to 2047; 0x7FF means that the rate is variable.
  public var bufferFullness: UInt16 = ADTSBits.variableRate
  /// Packets (raw data blocks) in the frame, 1 to 4.
  public var blockCount = 1
  /// The checksum; `nil` if protection_absent is set.
  public var checksum: UInt16?
  /// With a checksum and several packets: where the second and later ones begin, in bytes from the first.
  public var blockPositions: [UInt16] = []

  /// Size of this header in bytes.
  public var headerSize: Int { Int(bits.headerSize) }

  /// Bytes after this header that belong to the frame.
  public var payloadSize: Int { frameSize - headerSize }

  /// Sampling rate in Hz; with SBR, that of the core.
  public var sampleRate: UInt32 { SamplingFrequency.frequency(at: samplingFrequencyIndex) ?? 0 }
}

// From and to bytes.
extension ADTSHeader {
  /// Reads the header that these bytes begin with.
  ///
  /// - Throws: `AACError`: `.truncated`; `.invalidValue`, with the field, for values that no header has.
  public init(_ bytes: some Collection<UInt8>) throws(AACError) {
    let head = [UInt8](bytes.prefix(ADTSBits.byteCount))
    guard head.count == ADTSBits.byteCount else { throw AACError(.truncated, field: "adts_fixed_header") }
    let bits = ADTSBits(word: head.reduce(0) { $0 << 8 | UInt64($1) })
    for (field, value, isValid) in [
      ("syncword", bits[.syncword], bits[.syncword] == 0xFFF),
      ("layer", bits[.layer], bits[.layer] == 0),
      ("sampling_frequency_index", bits[.samplingFrequencyIndex], bits[.samplingFrequencyIndex] < 13),
      ("aac_frame_length", bits[.frameLength], bits[.frameLength] >= bits.headerSize),
    ] where !isValid {
      throw AACError(.invalidValue(Int64(value)), field: field)
    }
    self.init(bits)
    guard bits[.protectionAbsent] == 0 else { return }
    var reader = BitReader(bytes.dropFirst(ADTSBits.byteCount).prefix(8))
    do {
      for _ in 1..<blockCount { blockPositions.append(UInt16(try reader.bits(16))) }
      checksum = UInt16(try reader.bits(16))
    } catch {
      throw AACError(.truncated, field: "adts_error_check")
    }
  }

  private init(_ bits: ADTSBits) {
    isMPEG2 = bits[.id] == 1
    objectType = UInt8(bits[.profile]) + 1
    samplingFrequencyIndex = UInt8(bits[.samplingFrequencyIndex])
    isPrivate = bits[.privateBit] == 1
    channelConfiguration = UInt8(bits[.channelConfiguration])
    isOriginal = bits[.originalCopy] == 1
    isHome = bits[.home] == 1
    copyrightBit = bits[.copyrightBit] == 1
    copyrightStart = bits[.copyrightStart] == 1
    frameSize = Int(bits[.frameLength])
    bufferFullness = UInt16(bits[.bufferFullness])
    blockCount = Int(bits[.additionalBlocks]) + 1
  }

  /// The header as a number; excess bits of a field are cut off.
  var bits: ADTSBits {
    var bits = ADTSBits(word: 0)
    bits[.syncword] = 0xFFF
    bits[.id] = isMPEG2 ? 1 : 0
    bits[.protectionAbsent] = checksum == nil ? 1 : 0
    bits[.profile] = UInt64(objectType &- 1)
    bits[.samplingFrequencyIndex] = UInt64(samplingFrequencyIndex)
    bits[.privateBit] = isPrivate ? 1 : 0
    bits[.channelConfiguration] = UInt64(channelConfiguration)
    bits[.originalCopy] = isOriginal ? 1 : 0
    bits[.home] = isHome ? 1 : 0
    bits[.copyrightBit] = copyrightBit ? 1 : 0
    bits[.copyrightStart] = copyrightStart ? 1 : 0
    bits[.frameLength] = UInt64(clamping: frameSize)
    bits[.bufferFullness] = UInt64(bufferFullness)
    bits[.additionalBlocks] = UInt64(clamping: blockCount &- 1)
    return bits
  }

  /// The header as bytes, `headerSize` of them; excess bits of a field are cut off.
  public var written: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(bits.word)
    bytes.removeFirst()
    guard let checksum else { return bytes }
    for index in 0..<Int(bits[.additionalBlocks]) {
      bytes.appendBigEndian(index < blockPositions.count ? blockPositions[index] : 0)
    }
    bytes.appendBigEndian(checksum)
    return bytes
  }
}

// Conversion from and to the configuration in MP4.
extension ADTSHeader {
  /// The header of a frame of one packet.
  ///
  /// SBR and PS cannot be announced: the header describes the core alone, and decoders find the layers in the packets.
  /// A channel configuration of 0 requires `config.programConfig` as an element before the first packet.
  ///
  /// - Parameters:
  ///   - config: how the packet is coded.
  ///   - payloadSize: bytes after the header.
  /// - Throws: `AACError` `.notInADTS` for anything that does not fit in ADTS.
  public init(config: AudioSpecificConfig, payloadSize: Int) throws(AACError) {
    guard (1...4).contains(config.objectType) else { throw AACError(.notInADTS(.objectType(config.objectType))) }
    guard let index = config.samplingFrequencyIndex else {
      throw AACError(.notInADTS(.sampleRate(config.sampleRate)))
    }
    guard config.channelConfiguration < 8 else {
      throw AACError(.notInADTS(.channelConfiguration(config.channelConfiguration)))
    }
    if config.channelConfiguration == 0, config.programConfig == nil {
      throw AACError(.invalidValue(0), field: "channelConfiguration")
    }
    if let length = config.frameLength, length != 1024 { throw AACError(.notInADTS(.samplesPerFrame(length))) }
    guard !config.dependsOnCoreCoder else { throw AACError(.notInADTS(.coreCoder)) }
    guard payloadSize <= ADTSBits.maximumFrameLength - ADTSBits.byteCount else {
      let frameBytes = payloadSize.addingReportingOverflow(ADTSBits.byteCount).partialValue
      throw AACError(.notInADTS(.frameBytes(frameBytes)), field: "aac_frame_length")
    }
    objectType = config.objectType
    samplingFrequencyIndex = index
    channelConfiguration = config.channelConfiguration
    frameSize = max(payloadSize, 0) + ADTSBits.byteCount
  }

  /// The configuration that a movie would have for this stream.
  ///
  /// - Parameter programConfig: from a packet; needed if `channelConfiguration` is 0.
  public func configuration(programConfig: ProgramConfig? = nil) -> AudioSpecificConfig {
    AudioSpecificConfig(
      objectType: objectType, sampleRate: sampleRate, channelConfiguration: channelConfiguration,
      programConfig: channelConfiguration == 0 ? programConfig : nil)
  }
}
