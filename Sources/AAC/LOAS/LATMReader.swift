internal import MediaCore

/// Takes the packets out of the elements of a LATM stream.
///
/// Each element may bring a configuration, and otherwise goes by the one before. Payloads follow it bit by bit, so that
/// packets begin in the middle of bytes.
///
/// Source: ISO/IEC 14496-3, 1.7.3 (AudioMuxElement, PayloadLengthInfo, PayloadMux).
struct LATMReader: Sendable {
  /// What an element holds.
  struct Element {
    /// Its bytes, the first of which is the first of the element.
    let bytes: ArraySlice<UInt8>
    /// Where its packets are: bits, counted from its first one.
    let packets: [Range<Int>]
    /// Bytes that it takes up; whatever follows them has no meaning.
    let size: Int
  }

  /// The configuration that is in force, once there was one.
  private(set) var config: LATMConfig?

  /// Reads an element, with muxConfigPresent.
  ///
  /// - Returns: `nil` where no configuration has come yet.
  /// - Throws: `AACError`: `.notDecodable`, after which what follows waits for another configuration; `.truncated` and
  ///   `.invalidValue` for what is damaged, which leaves the configuration as it was.
  mutating func read(_ bytes: ArraySlice<UInt8>) throws(AACError) -> Element? {
    var reader = FieldReader(bytes)
    var config = config
    if try !reader.flag("useSameStreamMux") {
      do throws(AACError) {
        config = try LATMConfig(from: &reader, of: bytes)
      } catch {
        if case .notDecodable = error.code { self.config = nil }
        throw error
      }
    }
    guard let config else { return nil }
    var packets: [Range<Int>] = []
    for _ in 0..<config.packetCount {
      let size = if let size = config.packetSize { size } else { try LATMReader.size(&reader) }
      let start = reader.position
      try reader.skip(8 * size, "payload")
      packets.append(start..<reader.position)
    }
    try reader.skip(config.otherDataBits, "otherData")
    // Only an element that holds what its configuration says proves that this is one.
    self.config = config
    return Element(bytes: bytes, packets: packets, size: (reader.position + 7) / 8)
  }

  /// PayloadLengthInfo: bytes up to and including the first one that is not 255 are added up.
  private static func size(_ reader: inout FieldReader) throws(AACError) -> Int {
    var (size, part) = (0, UInt32(255))
    while part == 255 {
      part = try reader.bits(8, "MuxSlotLengthBytes")
      size += Int(part)
    }
    return size
  }
}
