internal import ISOBMFF
internal import MediaCore

/// What the descriptors of an IAMF sequence say: profiles, the codec inside, rate and channels.
///
/// A sample entry's own fields are all 0. Descriptors are open bitstream units (OBUs), each with a type, a size and
/// content; numbers are written seven bits per byte, the lowest first (`leb128`).
///
/// Source: Alliance for Open Media, IAMF 1.1, 3 and 4.
struct IAMFDescription {
  private(set) var primaryProfile: UInt8?
  private(set) var additionalProfile: UInt8 = 0
  /// The codec string of the codec inside: `Opus`, `mp4a.40.2`, `fLaC`, `ipcm`.
  private(set) var codec: String?
  /// In Hz; 0 where it is not known.
  private(set) var sampleRate: UInt32 = 0
  /// Number of channels of the first audio element; 0 where it is not known.
  private(set) var channels = 0
  /// Bits per sample of PCM and FLAC; 0 for others.
  private(set) var bitsPerSample = 0

  /// The codec string. Source: IAMF 1.1, "Codecs Parameter String".
  var codecString: String? {
    guard let primaryProfile, let codec else { return nil }
    func digits(_ number: UInt8) -> String { "\(number)".zeroPadded(to: 3) }
    return "iamf.\(digits(primaryProfile)).\(digits(additionalProfile)).\(codec)"
  }

  /// The most units that are read; a sequence has a handful.
  private static let maximumUnits = 256

  private enum UnitType {
    static let codecConfig: UInt32 = 0
    static let audioElement: UInt32 = 1
    static let sequenceHeader: UInt32 = 31
  }

  /// - Parameter entry: a sample entry with an `iacb` box.
  init?(_ entry: BoxNode) {
    guard let box = entry.child("iacb", as: IAConfigurationBox.self) else { return nil }
    var reader = BitReader(box.configuration)
    guard (try? reader.leb128()) != nil else { return nil }
    for _ in 0..<IAMFDescription.maximumUnits where reader.remaining > 0 {
      guard (try? readUnit(&reader)) != nil else { break }
    }
  }

  private mutating func readUnit(_ reader: inout BitReader) throws(BitReader.EndOfData) {
    let (type, _) = (try reader.bits(5), try reader.bits(1))
    let (isTrimmed, hasExtension) = (try reader.bits(1) == 1, try reader.bits(1) == 1)
    var unit = BitReader(try reader.bytes(Int(try reader.leb128())))
    if isTrimmed { for _ in 0..<2 { _ = try unit.leb128() } }
    if hasExtension { _ = try unit.bytes(Int(try unit.leb128())) }
    // If one unit cannot be read, the others still can.
    switch type {
    case UnitType.sequenceHeader: try? readSequenceHeader(&unit)
    case UnitType.codecConfig where codec == nil: try? readCodecConfig(&unit)
    case UnitType.audioElement where channels == 0: try? readAudioElement(&unit)
    default: break
    }
  }

  private mutating func readSequenceHeader(_ unit: inout BitReader) throws(BitReader.EndOfData) {
    _ = try unit.bits(32)
    let primary = UInt8(truncatingIfNeeded: try unit.bits(8))
    additionalProfile = UInt8(truncatingIfNeeded: try unit.bits(8))
    primaryProfile = primary
  }

  private mutating func readCodecConfig(_ unit: inout BitReader) throws(BitReader.EndOfData) {
    _ = try unit.leb128()
    let type = FourCC(try unit.bits(32))
    // Samples per frame, and the roll distance.
    _ = try unit.leb128()
    _ = try unit.bits(16)
    let config = try unit.bytes(unit.remaining / 8)
    codec = type.description.trimmingTrailingSpaces
    switch type {
    case "Opus": sampleRate = 48_000
    case "fLaC":
      // A block's header is four bytes long.
      guard let info = FLACStreamInfo(Array(config.dropFirst(4))) else { return }
      (sampleRate, bitsPerSample) = (info.sampleRate, info.bitsPerSample)
    case "ipcm":
      var reader = BitReader(config)
      _ = try reader.bits(8)
      bitsPerSample = Int(try reader.bits(8))
      sampleRate = try reader.bits(32)
    case "mp4a": readMPEG4(config)
    default: break
    }
  }

  private mutating func readMPEG4(_ config: ArraySlice<UInt8>) {
    var descriptor = ElementaryStreamDescriptorBox()
    descriptor.descriptors = Array(config)
    guard let type = descriptor.objectTypeIndication else { return }
    codec = "mp4a.\(hexadecimal([type]).uppercased())"
    let info = descriptor.decoderSpecificInfo ?? []
    guard let object = AudioObjectType.read(info) else { return }
    codec = "mp4a.40.\(object)"
    sampleRate = IAMFDescription.sampleRate(ofAudioSpecificConfig: info) ?? 0
  }

  /// The rate after an object type of five bits, the only kind that IAMF allows. Source: ISO/IEC 14496-3, 1.6.2.1.
  private static func sampleRate(ofAudioSpecificConfig bytes: [UInt8]) -> UInt32? {
    let rates: [UInt32] = [
      96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
    var reader = BitReader(bytes)
    guard (try? reader.bits(5)) != nil, let index = try? reader.bits(4) else { return nil }
    return index == 15 ? try? reader.bits(24) : rates.indices.contains(Int(index)) ? rates[Int(index)] : nil
  }

  // MARK: Audio elements

  private mutating func readAudioElement(_ unit: inout BitReader) throws(BitReader.EndOfData) {
    _ = try unit.leb128()
    let type = try unit.bits(3)
    _ = try unit.bits(5)
    _ = try unit.leb128()
    for _ in 0..<(try unit.count()) { _ = try unit.leb128() }
    for _ in 0..<(try unit.count()) { try skipParameter(&unit) }
    switch type {
    case 0: channels = try layerChannels(&unit)
    case 1:
      // Ambisonics: mono or projection, then the number of output channels.
      _ = try unit.leb128()
      channels = Int(try unit.bits(8))
    default: break
    }
  }

  /// Each substream holds one channel, or two if it is coupled; each layer adds some.
  private func layerChannels(_ unit: inout BitReader) throws(BitReader.EndOfData) -> Int {
    let layers = try unit.bits(3)
    _ = try unit.bits(5)
    var count = 0
    for _ in 0..<layers {
      let layout = try unit.bits(4)
      let hasGain = try unit.bits(1) == 1
      _ = try unit.bits(3)
      count += Int(try unit.bits(8)) + Int(try unit.bits(8))
      if hasGain { _ = try unit.bits(24) }
      // An expanded layout, which is part of a known one.
      if layout == 15 { _ = try unit.bits(8) }
    }
    return count
  }

  private func skipParameter(_ unit: inout BitReader) throws(BitReader.EndOfData) {
    let type = try unit.leb128()
    guard type <= 2 else {
      _ = try unit.bytes(Int(try unit.leb128()))
      return
    }
    for _ in 0..<2 { _ = try unit.leb128() }
    let hasOwnTiming = try unit.bits(1) == 0
    _ = try unit.bits(7)
    if hasOwnTiming {
      _ = try unit.leb128()
      if try unit.leb128() == 0 { for _ in 0..<(try unit.count()) { _ = try unit.leb128() } }
    }
    // Mix gain and demixing carry 16 bits of defaults.
    if type <= 1 { _ = try unit.bits(16) }
  }
}

extension BitReader {
  /// A number of at most 32 bits, seven bits per byte, the lowest first.
  fileprivate mutating func leb128() throws(EndOfData) -> UInt32 {
    var value: UInt64 = 0
    for index in 0..<8 as Range<UInt64> {
      let byte = try bits(8)
      value |= UInt64(byte & 0x7F) << (7 * index)
      if byte & 0x80 == 0 { break }
    }
    return UInt32(clamping: value)
  }

  /// The number of elements that follow, each of which takes at least a byte.
  fileprivate mutating func count() throws(EndOfData) -> UInt32 {
    let count = try leb128()
    guard count <= remaining / 8 else { throw EndOfData() }
    return count
  }

  /// The next bytes, if the reader is at a byte boundary.
  fileprivate mutating func bytes(_ count: Int) throws(EndOfData) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining / 8 else { throw EndOfData() }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: try bits(8))) }
    return bytes[...]
  }
}
