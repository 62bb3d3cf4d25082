public import MediaCore

/// What a `fmt ` chunk says about the samples of a WAVE file.
///
/// The chunk began as six numbers, the first of which names a codec. When files got more than two channels and more
/// than 16 bits it grew into WAVEFORMATEXTENSIBLE: that first number is then 0xFFFE, the codec's follows inside a GUID,
/// and a mask says which loudspeaker each channel is for.
///
/// Source: Microsoft, "Multiple Channel Audio Data and WAVE Files"; RFC 2361 for the numbers.
public struct WAVFormat: Sendable, Hashable {
  /// How a single sample is written.
  public enum Encoding: Sendable, Hashable, CaseIterable {
    /// Unsigned bytes, silence at 128.
    case integer8
    /// Signed 16-bit integers.
    case integer16
    /// Signed 24-bit integers, packed in three bytes.
    case integer24
    /// Signed 32-bit integers.
    case integer32
    /// 32-bit IEEE floats, full scale at -1 and 1.
    case float32
    /// 64-bit IEEE floats, full scale at -1 and 1.
    case float64

    /// Bytes of a sample.
    public var byteCount: Int {
      switch self {
      case .integer8: 1
      case .integer16: 2
      case .integer24: 3
      case .integer32, .float32: 4
      case .float64: 8
      }
    }

    /// Whether samples are floats.
    public var isFloat: Bool { self == .float32 || self == .float64 }
  }

  /// How each sample is written.
  public var encoding: Encoding
  /// Frames a second, at least 1.
  public var sampleRate: UInt32
  /// Which loudspeaker each channel is for.
  public var layout: ChannelLayout

  /// Bytes of a frame; `nBlockAlign`.
  public var bytesPerFrame: Int { encoding.byteCount * layout.channels }

  /// The format of the samples once they are read. Integers of 16 bits and more stay as they are; all others become
  /// floats, which hold 8 bits exactly and round 64 to 24.
  public var decoded: AudioFormat {
    let sampleFormat: AudioFormat.SampleFormat =
      switch encoding {
      case .integer16: .int16
      case .integer24: .int24
      case .integer32: .int32
      case .integer8, .float32, .float64: .float32
      }
    return AudioFormat(sampleRate: Int(sampleRate), sampleFormat: sampleFormat, layout: layout)
  }

  /// The format in which PCM is written.
  ///
  /// - Throws: `PCMFileError` `.cannotWrite` where the chunk's fields cannot hold it.
  public init(_ format: AudioFormat) throws(PCMFileError) {
    encoding =
      switch format.sampleFormat {
      case .int16: .integer16
      case .int24: .integer24
      case .int32: .integer32
      case .float32: .float32
      }
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
    static let extensible: UInt16 = 0xFFFE
  }

  /// The rest of the GUID whose first two bytes are a format tag: KSDATAFORMAT_SUBTYPE_PCM and its family.
  private static let guidTail: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]

  /// The useful bytes of the chunk: the six numbers and the extension.
  static let longestChunk = 40
  private static let shortestChunk = 16

  /// The highest believable rate in frames a second: 128 times 48 kHz, as fast as any audio converter. Buffers for a
  /// given time are sized by the rate, and a field of 32 bits could ask for gigabytes.
  static let maximumSampleRate: UInt32 = 6_144_000
  /// The highest believable number of channels: that of Ambisonics of the 15th order.
  static let maximumChannels = 256
  private static let guidOffset = 24

  /// Reads the content of a `fmt ` chunk.
  ///
  /// - Parameters:
  ///   - bytes: the content, as much of it as there is, or the first 40 bytes.
  ///   - offset: where it lies, for errors.
  init(_ bytes: [UInt8], offset: UInt64) throws(PCMFileError) {
    guard bytes.count >= WAVFormat.shortestChunk else { throw PCMFileError(.truncated, field: "fmt", offset: offset) }
    let fields = bytes.span
    func field(_ at: Int) -> UInt16 { fields.littleEndian(at: at) }
    func wrong(_ name: String, _ value: some BinaryInteger, at: Int) -> PCMFileError {
      PCMFileError(.invalidValue(UInt64(value)), field: name, offset: offset + UInt64(at))
    }
    let channels = Int(field(2))
    guard (1...WAVFormat.maximumChannels).contains(channels) else { throw wrong("nChannels", channels, at: 2) }
    sampleRate = fields.littleEndian(at: 4)
    guard (1...WAVFormat.maximumSampleRate).contains(sampleRate) else {
      throw wrong("nSamplesPerSec", sampleRate, at: 4)
    }
    var tag = field(0)
    var mask: UInt32?
    if tag == Tag.extensible, bytes.count >= WAVFormat.longestChunk {
      tag = field(WAVFormat.guidOffset)
      guard bytes[(WAVFormat.guidOffset + 2)..<WAVFormat.longestChunk].elementsEqual(WAVFormat.guidTail) else {
        throw PCMFileError(.notPCM(Tag.extensible), field: "SubFormat", offset: offset + UInt64(WAVFormat.guidOffset))
      }
      mask = fields.littleEndian(at: 20)
    }
    encoding = try WAVFormat.encoding(tag: tag, bits: Int(field(14)), offset: offset)
    layout = mask.map { ChannelLayout(channels: channels, mask: $0) } ?? ChannelLayout(channels: channels)
    // With at most 256 channels of 8 bytes this bounds the block, too.
    guard Int(field(12)) == bytesPerFrame else { throw wrong("nBlockAlign", field(12), at: 12) }
  }

  /// Samples with fewer bits than their bytes hold, such as 12 or 20, are in the upper bits: reading them at full width
  /// loses nothing.
  private static func encoding(tag: UInt16, bits: Int, offset: UInt64) throws(PCMFileError) -> Encoding {
    switch (tag, (bits + 7) / 8) {
    case (Tag.integer, 1): return .integer8
    case (Tag.integer, 2): return .integer16
    case (Tag.integer, 3): return .integer24
    case (Tag.integer, 4): return .integer32
    case (Tag.float, 4): return .float32
    case (Tag.float, 8): return .float64
    case (Tag.integer, _), (Tag.float, _):
      throw PCMFileError(
        .unsupportedBits(bits, isFloat: tag == Tag.float), field: "wBitsPerSample", offset: offset + 14)
    default: throw PCMFileError(.notPCM(tag), field: "wFormatTag", offset: offset)
    }
  }

  /// The content of a `fmt ` chunk: the extensible form if the plain one would leave loudspeakers unspecified.
  var written: [UInt8] {
    let isExtensible = layout != .mono && layout != .stereo
    let tag = encoding.isFloat ? Tag.float : Tag.integer
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(isExtensible ? Tag.extensible : tag)
    bytes.appendLittleEndian(UInt16(layout.channels))
    bytes.appendLittleEndian(sampleRate)
    bytes.appendLittleEndian(sampleRate * UInt32(bytesPerFrame))
    bytes.appendLittleEndian(UInt16(bytesPerFrame))
    bytes.appendLittleEndian(UInt16(8 * encoding.byteCount))
    guard isExtensible else { return bytes }
    bytes.appendLittleEndian(UInt16(22))
    bytes.appendLittleEndian(UInt16(8 * encoding.byteCount))
    bytes.appendLittleEndian(layout.mask)
    bytes.appendLittleEndian(tag)
    return bytes + WAVFormat.guidTail
  }

  /// What a format tag stands for. Source: RFC 2361, appendix A.
  static func name(ofTag tag: UInt16) -> String {
    switch tag {
    case 0x02: "Microsoft ADPCM"
    case 0x06: "A-law"
    case 0x07: "µ-law"
    case 0x11: "IMA ADPCM"
    case 0x50: "MPEG layer II"
    case 0x55: "MP3"
    case 0xFF, 0x1600...0x1610: "AAC"
    default: "format 0x" + String(tag, radix: 16)
    }
  }
}
