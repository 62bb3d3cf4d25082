internal import ISOBMFF
internal import MediaCore

/// The codec string of a sample entry, as used on web pages (RFC 6381).
///
/// Source: RFC 6381, and for each codec the appendix that defines its string: ISO/IEC 14496-15 for H.264, H.265 and
/// H.266, the AV1 and VP9 bindings, ETSI TS 103 190-2, E.13 for AC-4, IAMF.
enum CodecString {
  /// The string for a codec, from the boxes inside its sample entry; the bare code if the configuration box is missing.
  static func make(codec: FourCC, entry: BoxNode) -> String {
    let bare = codec.description.trimmingTrailingSpaces
    switch codec {
    case "avc1", "avc2", "avc3", "avc4":
      guard let box = entry.child("avcC", as: AVCConfigurationBox.self) else { return bare }
      return bare + "." + hexadecimal([box.profile, box.profileCompatibility, box.level])
    case "hvc1", "hev1", "hvc2", "hev2": return entry.child("hvcC").map { hevc(bare, $0) } ?? bare
    case "dvh1", "dvhe", "dva1", "dvav", "dav1":
      guard let box = dolbyVision(entry) else { return bare }
      return "\(bare).\(padded(box.profile)).\(padded(box.level))"
    case "vvc1", "vvi1":
      guard let box = entry.child("vvcC", as: VVCConfigurationBox.self), box.hasProfileTierLevel else { return bare }
      return vvc(bare, box.stream)
    case "av01": return entry.child("av1C").map { av1(bare, $0, entry) } ?? bare
    case "vp08", "vp09", "vp10":
      guard let box = entry.child("vpcC", as: VPCodecConfigurationBox.self) else { return bare }
      return vp9(bare, box)
    case "mp4a", "mp4v", "mp4s": return mpeg4(bare, entry)
    case "mhm1", "mha1", "mhm2", "mha2":
      guard let box = entry.child("mhaC", as: MHAConfigurationBox.self) else { return bare }
      return bare + ".0x" + hexadecimal([box.profileLevelIndication]).uppercased()
    case "ac-4":
      guard let box = entry.child("dac4", as: AC4SpecificBox.self), let first = box.firstPresentation else {
        return bare
      }
      return [box.bitStreamVersion, first.version, first.compatibility].reduce(bare) { $0 + "." + hexadecimal([$1]) }
    case "iamf": return IAMFDescription(entry)?.codecString ?? bare
    default: return bare
    }
  }

  /// The configuration box of whichever version of Dolby Vision is present.
  static func dolbyVision(_ entry: BoxNode) -> DolbyVisionConfigurationBox? {
    entry.child("dvcC") ?? entry.child("dvvC") ?? entry.child("dvwC")
  }

  /// The MPEG-4 descriptor: directly in the entry, or in QuickTime's `wave`.
  static func descriptor(_ entry: BoxNode) -> ElementaryStreamDescriptorBox? {
    entry.child("esds") ?? entry.first("wave")?.child("esds")
  }

  /// Profile space and profile, compatibility flags in reverse bit order, tier and level, constraints without trailing
  /// zero bytes. Source: ISO/IEC 14496-15, annex E.3.
  private static func hevc(_ bare: String, _ box: HEVCConfigurationBox) -> String {
    let space = ["", "A", "B", "C"][Int(box.profileSpace & 3)]
    var reversed: UInt32 = 0
    for bit in 0..<32 where box.profileCompatibility >> UInt32(bit) & 1 == 1 { reversed |= 1 << UInt32(31 - bit) }
    var text = "\(bare).\(space)\(box.profile).\(String(reversed, radix: 16, uppercase: true))"
    text += ".\(box.isHighTier ? "H" : "L")\(box.level)"
    var constraints = (0..<6).map { UInt8(truncatingIfNeeded: box.constraints >> UInt64(40 - 8 * $0)) }
    while constraints.last == 0 { constraints.removeLast() }
    for byte in constraints { text += "." + shortHexadecimal(byte) }
    return text
  }

  /// Profile, tier and level, and the constraints in base32, without trailing zero bytes. Source: ISO/IEC 14496-15,
  /// annex E.6.
  private static func vvc(_ bare: String, _ stream: VVCStreamFields) -> String {
    let text = "\(bare).\(stream.profile).\(stream.isHighTier ? "H" : "L")\(stream.level)"
    var constraints = stream.constraints
    while constraints.last == 0 { constraints.removeLast() }
    return constraints.isEmpty ? text : text + ".C" + base32(constraints)
  }

  /// RFC 4648, without padding.
  private static func base32(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bits = BitReader(bytes + [0, 0, 0, 0])
    var text = ""
    for _ in 0..<((bytes.count * 8 + 4) / 5) {
      if let digit = try? bits.bits(5) { text.append(digits[Int(digit)]) }
    }
    return text
  }

  /// Profile, level and tier, bit depth; then all optional fields, unless all have their defaults: monochrome,
  /// subsampling with the position of colour samples, colour. Source: AV1 Codec ISO Media File Format Binding, 5.
  private static func av1(_ bare: String, _ box: AV1CodecConfigurationBox, _ entry: BoxNode) -> String {
    let text = "\(bare).\(box.profile).\(padded(box.level))\(box.isHighTier ? "H" : "M").\(padded(box.bitDepth))"
    let isSubsampled = (box.isChromaSubsampledX, box.isChromaSubsampledY)
    let position = isSubsampled == (true, true) ? box.chromaSamplePosition : 0
    let chroma = "\(isSubsampled.0 ? 1 : 0)\(isSubsampled.1 ? 1 : 0)\(position)"
    let colour = colour(entry)
    let rest =
      ".\(box.isMonochrome ? 1 : 0).\(chroma).\(padded(colour.primaries)).\(padded(colour.transfer))"
      + ".\(padded(colour.matrix)).\(colour.isFullRange ? 1 : 0)"
    return rest == ".0.110.01.01.01.0" ? text : text + rest
  }

  /// The colour in the entry's `colr` box; without one, the string's default: ITU-R BT.709.
  private static func colour(_ entry: BoxNode) -> VideoTrackFormat.Colour {
    SampleDescriptionReader.colour(entry) ?? .init(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)
  }

  /// Profile, level, bit depth; then subsampling and colour, unless they have their defaults. Source: VP Codec ISO
  /// Media File Format Binding, "Codecs Parameter String".
  private static func vp9(_ bare: String, _ box: VPCodecConfigurationBox) -> String {
    let text = "\(bare).\(padded(box.profile)).\(padded(box.level)).\(padded(box.bitDepth))"
    let rest = [
      box.chromaSubsampling, box.colourPrimaries, box.transferCharacteristics, box.matrixCoefficients,
      box.isFullRange ? 1 : 0,
    ]
    return rest == [1, 1, 1, 1, 0] ? text : rest.reduce(text) { $0 + "." + padded($1) }
  }

  /// The object type indication in hexadecimal, then the codec's own number for its profile. Source: RFC 6381, 3.3.
  private static func mpeg4(_ bare: String, _ entry: BoxNode) -> String {
    guard let descriptor = descriptor(entry), let type = descriptor.objectTypeIndication else { return bare }
    let text = bare + "." + shortHexadecimal(type)
    let config = descriptor.decoderSpecificInfo ?? []
    switch type {
    case ObjectType.mpeg4Audio: return AudioObjectType.read(config).map { "\(text).\($0)" } ?? text
    case ObjectType.mpeg4Visual:
      // A visual object sequence begins with its start code, followed by the profile and level.
      guard config.starts(with: [0, 0, 1, 0xB0]), config.count > 4 else { return text }
      return "\(text).\(config[4])"
    default: return text
    }
  }

  /// A byte in upper-case hexadecimal, without a leading zero.
  private static func shortHexadecimal(_ byte: UInt8) -> String {
    let digits = hexadecimal([byte]).uppercased()
    return byte < 16 ? String(digits.dropFirst()) : digits
  }

  private static func padded(_ number: some BinaryInteger) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

/// Object type indications of MPEG-4 descriptors. Source: ISO/IEC 14496-1, 7.2.6.6, and its registration authority.
enum ObjectType {
  static let mpeg4Visual: UInt8 = 0x20
  static let mpeg4Audio: UInt8 = 0x40
}

extension String {
  var trimmingTrailingSpaces: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
