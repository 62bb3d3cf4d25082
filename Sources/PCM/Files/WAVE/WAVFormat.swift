internal import MediaCore

/// What a `fmt ` chunk says about the samples of a WAVE file.
///
/// The chunk began as six numbers, the first of which names a codec. When files got more than two channels and more
/// than 16 bits it grew into WAVEFORMATEXTENSIBLE: that first number is then 0xFFFE, the codec's follows inside a GUID,
/// and a mask says which loudspeaker each channel is for.
///
/// Source: Microsoft, "Multiple Channel Audio Data and WAVE Files"; RFC 2361 for the numbers.
struct WAVFormat: Hashable {
  /// How each sample is written.
  let coding: PCMCoding
  /// Frames a second, at least 1.
  let sampleRate: UInt32
  /// Which loudspeaker each channel is for.
  let layout: ChannelLayout

  /// Bytes of a frame; `nBlockAlign`.
  var bytesPerFrame: Int { coding.byteCount * layout.channels }

  /// The same for all kinds of files.
  var fileFormat: PCMFileFormat { PCMFileFormat(coding, sampleRate: Int(sampleRate), layout: layout) }

  /// The format in which PCM is written.
  ///
  /// - Throws: `PCMFileError` `.cannotWrite` where the chunk's fields cannot hold it.
  init(_ format: AudioFormat) throws(PCMFileError) {
    coding = PCMCoding(
      format.sampleFormat == .float32 ? .float : .signed, byteCount: format.sampleFormat.bitDepth / 8,
      isLittleEndian: true)
    layout = format.layout
    let perFrame = format.bytesPerFrame
    guard let rate = UInt32(exactly: format.sampleRate), rate > 0, perFrame <= UInt16.max,
      !rate.multipliedReportingOverflow(by: UInt32(perFrame)).overflow
    else { throw PCMFileError(.cannotWrite(format)) }
    sampleRate = rate
  }
}

extension WAVFormat {
  /// Codes of `wFormatTag`.
  private enum Tag {
    static let integer: UInt16 = 1
    static let float: UInt16 = 3
    static let aLaw: UInt16 = 6
    static let muLaw: UInt16 = 7
    static let extensible: UInt16 = 0xFFFE
  }

  /// The rest of the GUID whose first two bytes are a format tag: KSDATAFORMAT_SUBTYPE_PCM and its family.
  private static let guidTail: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]

  /// The same for B-format, whose channels are for no loudspeaker in particular: SUBTYPE_AMBISONIC_B_FORMAT_PCM.
  private static let ambisonicTail: [UInt8] = [0, 0, 0x21, 7, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0]

  /// The useful bytes of the chunk: the six numbers and the extension.
  static let longestChunk = 40
  private static let shortestChunk = 16

  private static let guidOffset = 24

  /// Reads the content of a `fmt ` chunk.
  ///
  /// - Parameters:
  ///   - bytes: the content, as much of it as there is, or the first 40 bytes.
  ///   - offset: where it lies, for errors.
  init(_ bytes: [UInt8], _ offset: UInt64) throws(PCMFileError) {
    guard bytes.count >= WAVFormat.shortestChunk else { throw PCMFileError(.truncated, field: "fmt", offset: offset) }
    let fields = bytes.span
    func field(_ at: Int) -> UInt16 { fields.littleEndian(at: at) }
    func wrong(_ name: String, _ value: some BinaryInteger, at: Int) -> PCMFileError {
      PCMFileError(.invalidValue(UInt64(value)), field: name, offset: offset + UInt64(at))
    }
    let channels = Int(field(2))
    guard (1...PCMFileFormat.maximumChannels).contains(channels) else { throw wrong("nChannels", channels, at: 2) }
    sampleRate = fields.littleEndian(at: 4)
    guard (1...UInt32(PCMFileFormat.maximumSampleRate)).contains(sampleRate) else {
      throw wrong("nSamplesPerSec", sampleRate, at: 4)
    }
    var tag = field(0)
    var mask: UInt32?
    if tag == Tag.extensible, bytes.count >= WAVFormat.longestChunk {
      tag = field(WAVFormat.guidOffset)
      let tail = Array(bytes[(WAVFormat.guidOffset + 2)..<WAVFormat.longestChunk])
      guard tail == WAVFormat.guidTail || tail == WAVFormat.ambisonicTail else {
        throw PCMFileError(
          .notPCM(WAVFormat.name(ofTag: Tag.extensible)), field: "SubFormat",
          offset: offset + UInt64(WAVFormat.guidOffset))
      }
      mask = fields.littleEndian(at: 20)
    }
    coding = try WAVFormat.coding(tag: tag, bits: Int(field(14)), offset: offset)
    layout = mask.map { ChannelLayout(channels: channels, mask: $0) } ?? ChannelLayout(channels: channels)
    // With at most 256 channels of 8 bytes this bounds the block, too.
    guard [0, bytesPerFrame].contains(Int(field(12))) else { throw wrong("nBlockAlign", field(12), at: 12) }
  }

  /// Samples with fewer bits than their bytes hold, such as 12 or 20, are in the upper bits: reading them at full width
  /// loses nothing.
  private static func coding(tag: UInt16, bits: Int, offset: UInt64) throws(PCMFileError) -> PCMCoding {
    func coding(_ kind: PCMCoding.Kind, _ byteCount: Int) -> PCMCoding {
      PCMCoding(kind, byteCount: byteCount, isLittleEndian: true)
    }
    switch (tag, (bits + 7) / 8) {
    case (Tag.integer, 1): return coding(.unsigned, 1)
    case (Tag.integer, let bytes) where (2...4).contains(bytes): return coding(.signed, bytes)
    case (Tag.float, let bytes) where [4, 8].contains(bytes): return coding(.float, bytes)
    case (Tag.aLaw, 1): return coding(.aLaw, 1)
    case (Tag.muLaw, 1): return coding(.muLaw, 1)
    case (Tag.integer, _), (Tag.float, _), (Tag.aLaw, _), (Tag.muLaw, _):
      throw PCMFileError(
        .unsupportedBits(bits, isFloat: tag == Tag.float), field: "wBitsPerSample", offset: offset + 14)
    default: throw PCMFileError(.notPCM(name(ofTag: tag)), field: "wFormatTag", offset: offset)
    }
  }

  /// The content of a `fmt ` chunk: the extensible form if the plain one would leave loudspeakers unspecified.
  var written: [UInt8] {
    let isExtensible = layout != .mono && layout != .stereo
    let tag = coding.kind == .float ? Tag.float : Tag.integer
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(isExtensible ? Tag.extensible : tag)
    bytes.appendLittleEndian(UInt16(layout.channels))
    bytes.appendLittleEndian(sampleRate)
    bytes.appendLittleEndian(sampleRate * UInt32(bytesPerFrame))
    bytes.appendLittleEndian(UInt16(bytesPerFrame))
    bytes.appendLittleEndian(UInt16(8 * coding.byteCount))
    guard isExtensible else {
      // Formats other than integers state the size of the extension that they do not have.
      if tag != Tag.integer { bytes.appendLittleEndian(UInt16(0)) }
      return bytes
    }
    bytes.appendLittleEndian(UInt16(22))
    bytes.appendLittleEndian(UInt16(8 * coding.byteCount))
    bytes.appendLittleEndian(layout.mask)
    bytes.appendLittleEndian(tag)
    return bytes + WAVFormat.guidTail
  }

  /// What a format tag stands for. Source: RFC 2361, appendix A.
  static func name(ofTag tag: UInt16) -> String {
    switch tag {
    case 0x02: "Microsoft ADPCM"
    case 0x11: "IMA ADPCM"
    case 0x50: "MPEG layer II"
    case 0x55: "MP3"
    case 0xFF, 0x1600...0x1610: "AAC"
    default: "format 0x" + String(tag, radix: 16)
    }
  }
}
