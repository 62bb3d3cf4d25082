internal import ISOBMFF
internal import MediaCore

/// Which audio is packed, and how.
extension SampleTable.Packing {
  /// Codecs of constant rate, in QuickTime's names, whose samples are single frames of PCM.
  private static let constantRate: Set<FourCC> = [
    "raw ", "twos", "sowt", "lpcm", "in24", "in32", "in16", "fl32", "fl64", "ulaw", "alaw", "NONE", "MAC3", "MAC6",
    "ima4", "Qclp", "QDM2", "agsm",
  ]

  /// How samples that all have one size are packed; `nil` if each is an ordinary sample.
  ///
  /// - Parameters:
  ///   - trak: the track.
  ///   - size: the size of each sample according to its index.
  init?(_ trak: BoxNode, sampleSize size: UInt32) {
    guard trak.first("mdia")?.child("hdlr", as: HandlerBox.self)?.handlerType == "soun",
      let entry = trak.first("mdia", "minf", "stbl", "stsd")?.children.first
    else { return nil }
    self.init(sound: entry, sampleSize: size)
  }

  /// How samples of sound that all have one size are packed; `nil` if each is an ordinary sample.
  ///
  /// - Parameters:
  ///   - entry: the sample entry.
  ///   - size: the size of each sample according to its index.
  init?(sound entry: BoxNode, sampleSize size: UInt32) {
    guard size > 0, let audio = entry.box(as: AudioSampleEntry.self),
      SampleTable.Packing.constantRate.contains(entry.type) || size == 1
    else { return nil }
    if audio.entryVersion == 1, audio.quickTime1.bytesPerFrame > 0 {
      self.init(frames: max(audio.quickTime1.samplesPerPacket, 1), bytes: audio.quickTime1.bytesPerFrame)
      return
    }
    if size > 1 {
      self.init(frames: 1, bytes: size)
      return
    }
    if audio.entryVersion == 2, audio.quickTime2.bytesPerPacket > 0 {
      self.init(frames: 1, bytes: audio.quickTime2.bytesPerPacket)
      return
    }
    let isWide = audio.entryVersion == 2
    let bits = isWide ? audio.quickTime2.bitsPerChannel : UInt32(audio.sampleSize)
    let channels = isWide ? audio.quickTime2.channelCount : UInt32(audio.channelCount)
    let packet = SampleTable.Packing.packet(of: entry.type, bits: bits)
    self.init(frames: packet.frames, bytes: packet.bytes.multipliedClamping(by: max(channels, 1)))
  }

  /// What one packet holds per channel where all sizes are 1, which was QuickTime's way of saying "see the codec". The
  /// sample size of the entry counts for plain PCM alone: for compressed audio it is that of the decoded samples.
  ///
  /// Source: QuickTime File Format, sound sample descriptions.
  private static func packet(of codec: FourCC, bits: UInt32) -> (frames: UInt32, bytes: UInt32) {
    switch codec {
    case "ulaw", "alaw": (1, 1)
    case "in24": (1, 3)
    case "in32", "fl32": (1, 4)
    case "fl64": (1, 8)
    case "MAC3": (6, 2)
    case "MAC6": (6, 1)
    case "ima4": (64, 34)
    case "agsm": (160, 33)
    default: (1, max(1, (bits == 0 ? 8 : bits) / 8))
    }
  }
}

extension UInt32 {
  fileprivate func multipliedClamping(by other: UInt32) -> UInt32 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
