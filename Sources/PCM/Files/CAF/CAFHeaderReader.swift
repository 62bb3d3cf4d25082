internal import MediaCore

/// Finds the format and the samples of a Core Audio Format file among its chunks.
///
/// `desc` comes first. The size of `data` may be -1: it then extends to the end.
///
/// Source: Apple, Core Audio Format Specification 1.0.
struct CAFHeaderReader {
  private static let unknown = UInt64.max
  private static let descriptionBytes = 32

  private var walker: ChunkWalker
  private var format: PCMFileFormat?
  private var layout: [UInt8] = []

  /// Reads the header of a file that begins as a CAF file.
  ///
  /// - Throws: `PCMFileError`: `.missingChunk`, `.tooManyChunks`, `.source`, or what is wrong with the format.
  static func read(_ reader: SourceReader) throws(PCMFileError) -> PCMFileHeader {
    var header = CAFHeaderReader(walker: ChunkWalker(reader, .caf, from: 8))
    return try header.read()
  }

  private init(walker: ChunkWalker) { self.walker = walker }

  private mutating func read() throws(PCMFileError) -> PCMFileHeader {
    let version = try walker.bytes(at: 4, count: 2)
    guard version.count == 2 else { throw PCMFileError(.truncated, offset: 4) }
    let number: UInt16 = version.span.bigEndian(at: 0)
    guard number == 1 else { throw PCMFileError(.invalidValue(UInt64(number)), field: "mFileVersion", offset: 4) }
    while let chunk = try walker.next() {
      guard chunk.size <= UInt64(Int64.max) || chunk.type == "data" else {
        throw PCMFileError(.invalidValue(chunk.size), field: "mChunkSize", offset: chunk.content - 8)
      }
      switch chunk.type {
      case "desc": format = try CAFHeaderReader.format(try walker.bytes(of: chunk, count: 32), offset: chunk.content)
      case "chan": layout = try walker.bytes(of: chunk, count: CoreAudioLayout.longestChunk)
      case "data": return try result(chunk)
      default: break
      }
    }
    throw PCMFileError(.missingChunk("data"), offset: walker.offset)
  }

  /// Before the samples comes a count of edits.
  private func result(_ data: Chunk) throws(PCMFileError) -> PCMFileHeader {
    guard var format else { throw PCMFileError(.missingChunk("desc"), offset: data.content - 12) }
    guard data.size == CAFHeaderReader.unknown || (4...UInt64(Int64.max)).contains(data.size) else {
      throw PCMFileError(.invalidValue(data.size), field: "mChunkSize", offset: data.content - 8)
    }
    let stated = layout.isEmpty ? nil : CoreAudioLayout(layout, channels: format.layout.channels)
    if let stated {
      format = PCMFileFormat(format.coding, sampleRate: format.sampleRate, layout: stated.layout)
    }
    return PCMFileHeader(
      .caf, name: "caf", format: format, order: stated?.order, dataStart: data.content + 4,
      dataBytes: data.size == CAFHeaderReader.unknown ? nil : data.size - 4)
  }

  /// The content of `desc`: a rate, a codec, and how its packets are made.
  private static func format(_ bytes: [UInt8], offset: UInt64) throws(PCMFileError) -> PCMFileFormat {
    guard bytes.count == descriptionBytes else { throw PCMFileError(.truncated, field: "desc", offset: offset) }
    let fields = bytes.span
    func number(_ at: Int) -> UInt32 { fields.bigEndian(at: at) }
    let rate = try PCMFileFormat.checkedRate(
      Double(bitPattern: fields.bigEndian(at: 0)), field: "mSampleRate", offset: offset)
    let coding = try coding(
      FourCC(number(8)), flags: number(12), bits: Int(number(28)), offset: offset)
    let channels = Int(number(24))
    guard (1...PCMFileFormat.maximumChannels).contains(channels) else {
      throw PCMFileError(.invalidValue(UInt64(channels)), field: "mChannelsPerFrame", offset: offset + 24)
    }
    guard Int(number(16)) == channels * coding.byteCount else {
      throw PCMFileError(.invalidValue(UInt64(number(16))), field: "mBytesPerPacket", offset: offset + 16)
    }
    guard number(20) == 1 else {
      throw PCMFileError(.invalidValue(UInt64(number(20))), field: "mFramesPerPacket", offset: offset + 20)
    }
    return PCMFileFormat(coding, sampleRate: rate, layout: ChannelLayout(channels: channels))
  }

  private static func coding(
    _ type: FourCC, flags: UInt32, bits: Int, offset: UInt64
  ) throws(PCMFileError) -> PCMCoding {
    switch type {
    case "lpcm":
      let (isFloat, byteCount) = (flags & 1 != 0, (bits + 7) / 8)
      guard isFloat ? bits == 32 || bits == 64 : (1...4).contains(byteCount) else {
        throw PCMFileError(.unsupportedBits(bits, isFloat: isFloat), field: "mBitsPerChannel", offset: offset + 28)
      }
      return PCMCoding(isFloat ? .float : .signed, byteCount: byteCount, isLittleEndian: flags & 2 != 0)
    case "ulaw": return PCMCoding(.muLaw, byteCount: 1)
    case "alaw": return PCMCoding(.aLaw, byteCount: 1)
    default: throw PCMFileError(.notPCM(PCMFileFormat.name(of: type)), field: "mFormatID", offset: offset + 8)
    }
  }
}
