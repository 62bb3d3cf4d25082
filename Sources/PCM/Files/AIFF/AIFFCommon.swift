internal import MediaCore

/// The chunk `COMM` of an AIFF file: what its samples are.
///
/// Sizes of samples that are no whole number of bytes are filled up to one, with zeros in the lower bits: reading them
/// at full width loses nothing.
///
/// Source: Apple, "Audio Interchange File Format: AIFF", version 1.3, the common chunk; "AIFF-C" for compression types.
struct AIFFCommon {
  let coding: PCMCoding
  let channels: Int
  let sampleRate: Int
  /// Frames of the file, as stated: 0 if the writer did not know.
  let frames: UInt32

  /// The useful bytes: five fields, and the compression type.
  static let longestChunk = 22
  private static let shortestChunk = 18

  /// Reads the content.
  ///
  /// - Parameters:
  ///   - bytes: the content, or its first 22 bytes.
  ///   - isCompressed: whether it is AIFF-C, which names how samples are written.
  ///   - offset: where it lies, for errors.
  init(_ bytes: [UInt8], isCompressed: Bool, offset: UInt64) throws(PCMFileError) {
    guard bytes.count >= (isCompressed ? AIFFCommon.longestChunk : AIFFCommon.shortestChunk) else {
      throw PCMFileError(.truncated, field: "COMM", offset: offset)
    }
    let fields = bytes.span
    channels = Int(fields.bigEndian(at: 0, as: UInt16.self))
    guard (1...PCMFileFormat.maximumChannels).contains(channels) else {
      throw PCMFileError(.invalidValue(UInt64(channels)), field: "numChannels", offset: offset)
    }
    frames = fields.bigEndian(at: 2)
    let rate = AIFFCommon.extended(exponent: fields.bigEndian(at: 8), mantissa: fields.bigEndian(at: 10))
    sampleRate = try PCMFileFormat.checkedRate(rate, field: "sampleRate", offset: offset + 8)
    let type = isCompressed ? FourCC(fields.bigEndian(at: 18)) : "NONE"
    coding = try AIFFCommon.coding(type, bits: Int(fields.bigEndian(at: 6, as: UInt16.self)), offset: offset)
  }

  /// A float of 80 bits: a sign, 15 bits of exponent, and 64 bits of which the first is the one before the point.
  static func extended(exponent: UInt16, mantissa: UInt64) -> Double {
    let size = Double(sign: .plus, exponent: Int(exponent & 0x7FFF) - 16_383 - 63, significand: Double(mantissa))
    return exponent & 0x8000 == 0 ? size : -size
  }

  private static func coding(_ type: FourCC, bits: Int, offset: UInt64) throws(PCMFileError) -> PCMCoding {
    switch type {
    case "NONE", "twos", "sowt":
      let byteCount = (bits + 7) / 8
      guard (1...4).contains(byteCount) else {
        throw PCMFileError(.unsupportedBits(bits, isFloat: false), field: "sampleSize", offset: offset + 6)
      }
      return PCMCoding(.signed, byteCount: byteCount, isLittleEndian: type == "sowt")
    case "raw ":
      guard (1...8).contains(bits) else {
        throw PCMFileError(.unsupportedBits(bits, isFloat: false), field: "sampleSize", offset: offset + 6)
      }
      return PCMCoding(.unsigned, byteCount: 1)
    case "in24": return PCMCoding(.signed, byteCount: 3)
    case "in32": return PCMCoding(.signed, byteCount: 4)
    // The same four characters backwards, for the bytes that are.
    case "42ni": return PCMCoding(.signed, byteCount: 3, isLittleEndian: true)
    case "23ni": return PCMCoding(.signed, byteCount: 4, isLittleEndian: true)
    case "fl32", "FL32": return PCMCoding(.float, byteCount: 4)
    case "fl64", "FL64": return PCMCoding(.float, byteCount: 8)
    case "ulaw", "ULAW": return PCMCoding(.muLaw, byteCount: 1)
    case "alaw", "ALAW": return PCMCoding(.aLaw, byteCount: 1)
    default:
      throw PCMFileError(.notPCM(PCMFileFormat.name(of: type)), field: "compressionType", offset: offset + 18)
    }
  }
}

extension PCMFileFormat {
  /// A rate as a whole number of frames a second.
  ///
  /// - Throws: `PCMFileError` `.invalidValue` for a rate below 1, above 6 144 000, or NaN.
  static func checkedRate(_ rate: Double, field: String, offset: UInt64) throws(PCMFileError) -> Int {
    guard rate >= 1, rate <= Double(maximumSampleRate) else {
      let shown = rate >= 0 && rate < 0x1p63 ? UInt64(rate) : rate >= 0x1p63 ? .max : 0
      throw PCMFileError(.invalidValue(shown), field: field, offset: offset)
    }
    return Int(rate.rounded())
  }

  /// What compression types and format identifiers that are not PCM stand for.
  static func name(of type: FourCC) -> String {
    switch type {
    case "alac": "Apple Lossless"
    case "aac ", "aach", "aacp": "AAC"
    case "ima4": "IMA ADPCM"
    case "MAC3", "MAC6": "MACE"
    case ".mp1", ".mp2": "MPEG layer II"
    case ".mp3": "MP3"
    case "flac": "FLAC"
    case "opus": "Opus"
    case "ac-3", "ec-3": "Dolby Digital"
    case "GSM ", "agsm": "GSM"
    case "QDM2", "Qclp", "QDMC": "QDesign or Qualcomm audio"
    default: "\"\(type)\""
    }
  }
}
