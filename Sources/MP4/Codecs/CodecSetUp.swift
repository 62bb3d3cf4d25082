internal import ISOBMFF
internal import MediaCore

/// What a codec's own box says about the audio, more reliably than the fields of the sample entry: their 16 bits of
/// rate end at 65 535 Hz, and their channel count was meant for two loudspeakers.
struct CodecSetUp {
  /// In Hz; `nil` where the box does not say.
  private(set) var sampleRate: UInt32?
  /// Number of channels; `nil` where the box does not say.
  private(set) var channels: Int?
  /// Bits per sample; `nil` where that means nothing, or the box does not say.
  private(set) var bitsPerSample: Int?
  /// The box's payload.
  private(set) var configuration: [UInt8] = []

  private static let boxes: [FourCC] = [
    "alac", "dOps", "dfLa", "dac3", "dec3", "dac4", "dmlp", "mhaC", "iacb", "dops",
  ]

  init(codec: FourCC, entry: BoxNode, fields: AudioSampleEntry) {
    switch codec {
    case "mlpa": sampleRate = CodecSetUp.wholeRate(fields.sampleRate)
    // Speech has one channel and one rate; entries say 2 channels and any rate. Source: 3GPP TS 26.244, 6.5.
    case "samr": (sampleRate, channels) = (8000, 1)
    case "sawb": (sampleRate, channels) = (16_000, 1)
    default: break
    }
    for type in CodecSetUp.boxes {
      guard let node = entry.first(type) ?? entry.first("wave", type) else { continue }
      configuration = node.payload
      read(node, entry)
      return
    }
  }

  private mutating func read(_ node: BoxNode, _ entry: BoxNode) {
    switch node.type {
    case "alac":
      guard let box = node.box(as: AppleLosslessSpecificBox.self) else { return }
      (sampleRate, channels, bitsPerSample) = (box.sampleRate, Int(box.channelCount), Int(box.bitDepth))
    case "dfLa":
      guard let info = node.box(as: FLACSpecificBox.self)?.streamInfo else { return }
      (sampleRate, channels, bitsPerSample) = (info.sampleRate, info.channels, info.bitsPerSample)
    case "dOps":
      guard let box = node.box(as: OpusSpecificBox.self) else { return }
      // Whatever was encoded, decoding yields 48 kHz. Source: Encapsulation of Opus in ISO Base Media File Format,
      // 4.3.1.
      (sampleRate, channels) = (48_000, Int(box.outputChannelCount))
    case "dac3":
      guard let box = node.box(as: AC3SpecificBox.self) else { return }
      // Versions 9 and 10 of the stream halve the rate once or twice: all decoders do so, although the standard only
      // reserves these versions.
      let halvings = box.bitStreamID > 8 ? UInt32(box.bitStreamID) - 8 : 0
      (sampleRate, channels) = (box.sampleRate.map { $0 >> halvings }, box.channelCount)
    case "dec3":
      guard let box = node.box(as: EC3SpecificBox.self) else { return }
      (sampleRate, channels) = (box.sampleRate, box.channelCount)
    case "dmlp":
      guard let box = node.box(as: MLPSpecificBox.self) else { return }
      if box.sampleRate > 0 { sampleRate = box.sampleRate }
      if box.channelCount > 0 { channels = box.channelCount }
    case "mhaC":
      guard let box = node.box(as: MHAConfigurationBox.self) else { return }
      channels = CodecSetUp.channels(ofLayout: Int(box.referenceChannelLayout))
    case "iacb":
      guard let description = IAMFDescription(entry) else { return }
      (sampleRate, channels) = (description.sampleRate, description.channels)
      bitsPerSample = description.bitsPerSample > 0 ? description.bitsPerSample : nil
    default: break
    }
  }

  /// Number of channels of a `ChannelConfiguration`; `nil` where it has none. Source: ISO/IEC 23091-3, table 1.
  private static func channels(ofLayout layout: Int) -> Int? {
    let counts = [0, 1, 2, 3, 4, 5, 6, 8, 2, 3, 4, 7, 8, 24, 8, 12, 10, 12, 14, 12, 14]
    return counts.indices.contains(layout) ? counts[layout] : nil
  }

  /// The rate of an `mlpa` entry, whose 32 bits are an integer; some writers use 16.16 all the same, which yields a
  /// number far above any rate. Source: Dolby, "MLP (Dolby TrueHD) streams within the ISO base media file format", 3.2.
  private static func wholeRate(_ field: UInt32) -> UInt32 { field < 1 << 20 ? field : field >> 16 }
}

extension AudioTrackFormat {
  /// Overrides the description with what the codec's own box says.
  mutating func add(_ setUp: CodecSetUp) {
    decoderConfiguration = setUp.configuration
    if let rate = setUp.sampleRate, rate > 0 { sampleRate = Double(rate) }
    if let count = setUp.channels, count > 0 { channels = count }
    if let bits = setUp.bitsPerSample, bits > 0 { bitsPerSample = bits }
  }
}

extension AudioTrackFormat {
  /// The object type of MPEG-4 ALS, which is lossless.
  private static let losslessType: UInt8 = 36

  /// Takes rate, samples, channels less one, and bytes of a sample less one (three bits of a byte) from the MPEG-4 ALS
  /// header, as the fields before it are too small. Source: ISO/IEC 14496-3, 11.3.
  mutating func addLosslessCoding() {
    let (info, mark, length) = (decoderConfiguration, Array("ALS\0".utf8), 15)
    guard objectType == ObjectType.mpeg4Audio, AudioObjectType.read(info) == AudioTrackFormat.losslessType,
      let start = info.indices.dropLast(length - 1).first(where: { info[$0...].starts(with: mark) })
    else { return }
    let fields = info[start..<(start + length)]
    let rate = fields.dropFirst(4).prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    if rate > 0 { sampleRate = Double(rate) }
    channels = fields.dropFirst(12).prefix(2).reduce(0) { $0 << 8 | Int($1) } + 1
    bitsPerSample = fields.dropFirst(14).reduce(0) { $0 << 8 | Int($1) } >> 2 & 7
    bitsPerSample = 8 * (bitsPerSample + 1)
  }
}
