internal import ISOBMFF
internal import MediaCore

/// PCM under its many names: ISO's two, and QuickTime's, whose entries say 16 bits whatever they hold.
///
/// Source: ISO/IEC 23003-5; QuickTime File Format, Sound Sample Descriptions.
enum PCMEntry {
  /// Bits per sample, where the name determines them.
  static let bits: KeyValuePairs<FourCC, Int> = [
    "in16": 16, "in24": 24, "in32": 32, "fl32": 32, "fl64": 64, "ulaw": 8, "alaw": 8,
  ]

  /// Flags of `lpcm`.
  private enum Flag {
    static let isFloat: UInt32 = 1, isBigEndian: UInt32 = 2, isSigned: UInt32 = 4
  }

  /// How the samples of an entry are written; `nil` if they are not PCM, or if a `pcmC` box is needed but missing.
  ///
  /// - Parameters:
  ///   - codec: the code of the media.
  ///   - entry: the entry.
  ///   - fields: its fields.
  ///   - bits: bits of a sample, from wherever they are best known.
  static func coding(_ codec: FourCC, _ entry: BoxNode, _ fields: AudioSampleEntry, bits: Int) -> PCMCoding? {
    let bytes = (bits + 7) / 8
    switch codec {
    case "ipcm", "fpcm":
      guard let box = entry.child("pcmC", as: PCMConfigurationBox.self) else { return nil }
      return PCMCoding(codec == "fpcm" ? .float : .signed, byteCount: bytes, isLittleEndian: box.isLittleEndian)
    case "twos": return PCMCoding(.signed, byteCount: bytes)
    case "sowt": return PCMCoding(.signed, byteCount: bytes, isLittleEndian: true)
    case "in16", "in24", "in32": return PCMCoding(.signed, byteCount: bytes, isLittleEndian: isLittleEndian(entry))
    case "fl32", "fl64": return PCMCoding(.float, byteCount: bytes, isLittleEndian: isLittleEndian(entry))
    // QuickTime's oldest convention: unsigned in 8 bits, signed in more.
    case "raw ", "NONE": return PCMCoding(bytes > 1 ? .signed : .unsigned, byteCount: max(bytes, 1))
    case "ulaw": return PCMCoding(.muLaw, byteCount: 1)
    case "alaw": return PCMCoding(.aLaw, byteCount: 1)
    case "lpcm": return linear(entry, fields, bytes: bytes)
    default: return nil
    }
  }

  /// `lpcm`, whose flags are in version 2 of the entry; earlier ones leave them out.
  private static func linear(_ entry: BoxNode, _ fields: AudioSampleEntry, bytes: Int) -> PCMCoding {
    guard fields.entryVersion == 2, entry.context.sampleDescriptionVersion == 0 else {
      return PCMCoding(.signed, byteCount: bytes, isLittleEndian: isLittleEndian(entry))
    }
    let (flags, channels) = (fields.quickTime2.formatFlags, fields.quickTime2.channelCount)
    let kind: PCMCoding.Kind =
      flags & Flag.isFloat != 0 ? .float : flags & Flag.isSigned != 0 ? .signed : .unsigned
    // A sample may have room for more bits than it has.
    let packet = fields.quickTime2.framesPerPacket <= 1 && channels > 0 ? fields.quickTime2.bytesPerPacket : 0
    let width = packet > 0 ? Int(packet / channels) : bytes
    return PCMCoding(kind, byteCount: max(width, bytes), isLittleEndian: flags & Flag.isBigEndian == 0)
  }

  /// What `enda` says, which QuickTime puts into `wave`.
  private static func isLittleEndian(_ entry: BoxNode) -> Bool {
    let payload = (entry.first("wave", "enda") ?? entry.first("enda"))?.payload ?? []
    return payload.count >= 2 && payload[1] == 1
  }
}
