internal import MediaCore

/// How the elements of a LATM stream are divided, and how its packets are coded: a StreamMuxConfig of one program with
/// one layer.
///
/// Source: ISO/IEC 14496-3, 1.7.3 (StreamMuxConfig).
struct LATMConfig: Equatable, Sendable {
  /// The AudioSpecificConfig, which begins at any bit of the stream, as bytes; zeros fill the last of them.
  var specificConfig: [UInt8]
  /// Packets in an element, 1 to 64: numSubFrames and one.
  var packetCount: Int
  /// Bytes of each packet, if all have as many and the elements do not say.
  var packetSize: Int?
  /// Bits after the packets that are not for this decoder.
  var otherDataBits: Int
}

extension LATMConfig {
  /// Reads a configuration from where the reader of an element is.
  ///
  /// - Throws: `AACError`: `.notDecodable` for what is valid but not supported; `.truncated` and `.invalidValue` for
  ///   what is damaged.
  init(from reader: inout FieldReader, of element: ArraySlice<UInt8>) throws(AACError) {
    let hasLengths = try reader.flag("audioMuxVersion")
    if hasLengths {
      guard try !reader.flag("audioMuxVersionA") else { throw AACError(.notDecodable("LATM of audioMuxVersionA 1")) }
      _ = try reader.latmValue("taraBufferFullness")
    }
    packetCount = try LATMConfig.packetCount(&reader)
    specificConfig = try LATMConfig.specificConfig(&reader, of: element, hasLength: hasLengths)
    packetSize = try LATMConfig.packetSize(&reader)
    otherDataBits = try LATMConfig.otherDataBits(&reader, isOneValue: hasLengths)
    if try reader.flag("crcCheckPresent") { try reader.skip(8, "crcCheckSum") }
  }

  /// allStreamsSameTimeFraming to numLayer.
  private static func packetCount(_ reader: inout FieldReader) throws(AACError) -> Int {
    guard try reader.flag("allStreamsSameTimeFraming") else {
      throw AACError(.notDecodable("LATM whose streams differ in their framing"))
    }
    let packetCount = Int(try reader.bits(6, "numSubFrames")) + 1
    let programs = try reader.bits(4, "numProgram") + 1
    guard programs == 1 else { throw AACError(.notDecodable("LATM of \(programs) programs")) }
    let layers = try reader.bits(3, "numLayer") + 1
    guard layers == 1 else { throw AACError(.notDecodable("LATM of \(layers) layers")) }
    return packetCount
  }

  /// The AudioSpecificConfig. Without a length it ends where its last field does, so that all of its fields have to be
  /// known, and no extension can follow.
  private static func specificConfig(
    _ reader: inout FieldReader, of element: ArraySlice<UInt8>, hasLength: Bool
  ) throws(AACError) -> [UInt8] {
    guard !hasLength else {
      let count = Int(try reader.latmValue("ascLen"))
      guard count <= reader.remaining else { throw AACError(.truncated, field: "AudioSpecificConfig") }
      let bytes = element.bits(from: reader.position, count: count)
      _ = try AudioSpecificConfig(bytes)
      try reader.skip(count, "AudioSpecificConfig")
      return bytes
    }
    // A program_config_element is the longest part of it.
    let most = min(reader.remaining, 8 * (ProgramConfig.maximumSize + 16))
    var fields = FieldReader(element.bits(from: reader.position, count: most))
    let config = try AudioSpecificConfig(from: &fields, isToEnd: false)
    guard (1...4).contains(config.objectType) else {
      throw AACError(.notDecodable("\(config.name) in LATM of audioMuxVersion 0"))
    }
    let start = reader.position
    try reader.skip(fields.position, "AudioSpecificConfig")
    return element.bits(from: start, count: fields.position)
  }

  /// frameLengthType, and what it calls for.
  private static func packetSize(_ reader: inout FieldReader) throws(AACError) -> Int? {
    let type = try reader.bits(3, "frameLengthType")
    switch type {
    case 0:
      try reader.skip(8, "latmBufferFullness")
      return nil
    case 1: return Int(try reader.bits(9, "frameLength")) + 20
    default: throw AACError(.notDecodable("LATM of frameLengthType \(type)"))
    }
  }

  /// otherDataPresent and otherDataLenBits.
  private static func otherDataBits(_ reader: inout FieldReader, isOneValue: Bool) throws(AACError) -> Int {
    guard try reader.flag("otherDataPresent") else { return 0 }
    guard !isOneValue else { return Int(try reader.latmValue("otherDataLenBits")) }
    var (count, goesOn) = (UInt32(0), true)
    while goesOn {
      // No element has as many bits as three bytes can say.
      guard count < 1 << 24 else { throw AACError(.invalidValue(Int64(count)), field: "otherDataLenBits") }
      goesOn = try reader.flag("otherDataLenEsc")
      count = count << 8 | (try reader.bits(8, "otherDataLenTmp"))
    }
    return Int(count)
  }
}

extension FieldReader {
  /// LatmGetValue(): a number of one to four bytes, whose count comes first.
  fileprivate mutating func latmValue(_ field: String) throws(AACError) -> UInt32 {
    let size = Int(try bits(2, field)) + 1
    return try bits(8 * size, field)
  }
}

extension ArraySlice<UInt8> {
  /// A stretch of bits, which begins anywhere, as bytes; zeros fill the last of them.
  ///
  /// - Parameters:
  ///   - position: the first bit, counted from the first bit of the slice.
  ///   - count: how many; these have to be there.
  func bits(from position: Int, count: Int) -> [UInt8] {
    let (first, shift, size) = (position / 8, position % 8, (count + 7) / 8)
    guard shift > 0 else {
      var bytes = Array(self[(startIndex + first)..<(startIndex + first + size)])
      bytes.clearBits(after: count)
      return bytes
    }
    var bytes = [UInt8](repeating: 0, count: size)
    let source = span
    for index in 0..<size {
      let next = first + index + 1 < source.count ? UInt16(source[first + index + 1]) : 0
      let pair = UInt16(source[first + index]) << 8 | next
      bytes[index] = UInt8(truncatingIfNeeded: pair >> UInt16(8 - shift))
    }
    bytes.clearBits(after: count)
    return bytes
  }
}

extension [UInt8] {
  /// Clears the bits of the last byte that are not among the first `count` of all.
  fileprivate mutating func clearBits(after count: Int) {
    guard let last = indices.last, count % 8 > 0 else { return }
    self[last] &= 0xFF << UInt8(8 - count % 8)
  }
}
