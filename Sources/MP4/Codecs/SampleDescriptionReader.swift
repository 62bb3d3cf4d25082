internal import ISOBMFF
internal import MediaCore

/// Reads the descriptions of a track's samples from its `stsd` box.
enum SampleDescriptionReader {
  /// The descriptions, in the order of the indices by which samples refer to them.
  static func descriptions(in stsd: BoxNode?) -> [SampleDescription] {
    (stsd?.children ?? []).filter { $0.type != "free" && $0.type != "skip" }.map(description)
  }

  /// The description of a sample entry.
  static func description(_ entry: BoxNode) -> SampleDescription {
    let sinf = entry.first("sinf") ?? entry.first("wave", "sinf")
    // The original format of an encrypted entry; QuickTime puts it inside `wave`.
    let codec = sinf?.child("frma", as: OriginalFormatBox.self)?.dataFormat ?? entry.type
    return SampleDescription(
      entryType: entry.type, codec: codec, codecName: CodecName.make(codec: codec, entry: entry),
      codecString: CodecString.make(codec: codec, entry: entry), format: format(entry, codec: codec),
      protection: sinf.flatMap(protection), entry: entry.written)
  }

  private static func format(_ entry: BoxNode, codec: FourCC) -> SampleDescription.MediaFormat {
    if let box = entry.box(as: AudioSampleEntry.self) { return .audio(audio(box, entry, codec: codec)) }
    if let box = entry.box(as: VisualSampleEntry.self) { return .video(video(box, entry)) }
    return .other
  }

  // MARK: Audio

  private static func audio(_ box: AudioSampleEntry, _ entry: BoxNode, codec: FourCC) -> AudioTrackFormat {
    var format = AudioTrackFormat(
      sampleRate: Double(box.sampleRate) / 65536, channels: Int(box.channelCount), bitsPerSample: Int(box.sampleSize))
    if box.entryVersion == 2, entry.context.sampleDescriptionVersion == 0 {
      let rate = box.quickTime2.sampleRate
      // A rate that does not fit 32 bits counts as unknown: other code converts rates to whole numbers.
      format.sampleRate = (0...Double(UInt32.max)).contains(rate) ? rate : 0
      format.channels = Int(box.quickTime2.channelCount)
      format.bitsPerSample = Int(box.quickTime2.bitsPerChannel)
    }
    if let rate = entry.child("srat", as: SamplingRateBox.self) { format.sampleRate = Double(rate.samplingRate) }
    if let pcm = entry.child("pcmC", as: PCMConfigurationBox.self) { format.bitsPerSample = Int(pcm.sampleSize) }
    if let bits = PCMEntry.bits.value(of: codec) { format.bitsPerSample = bits }
    if let descriptor = CodecString.descriptor(entry) {
      format.objectType = descriptor.objectTypeIndication
      format.decoderConfiguration = descriptor.decoderSpecificInfo ?? []
      format.addLosslessCoding()
    } else {
      format.add(CodecSetUp(codec: codec, entry: entry, fields: box))
    }
    format.pcmCoding = PCMEntry.coding(codec, entry, box, bits: format.bitsPerSample)
    return format
  }

  // MARK: Video

  private static func video(_ box: VisualSampleEntry, _ entry: BoxNode) -> VideoTrackFormat {
    var format = VideoTrackFormat(width: Int(box.width), height: Int(box.height))
    if let aspect = entry.child("pasp", as: PixelAspectRatioBox.self), aspect.horizontalSpacing > 0,
      aspect.verticalSpacing > 0
    {
      format.pixelAspect = [aspect.horizontalSpacing, aspect.verticalSpacing]
    }
    format.colour = colour(entry)
    if let level = entry.child("clli", as: ContentLightLevelBox.self) {
      format.lightLevel = .init(
        maximumContent: level.maximumContentLightLevel, maximumAverage: level.maximumPictureAverageLightLevel)
    } else if let level = entry.child("CoLL", as: VPContentLightLevelBox.self) {
      format.lightLevel = .init(
        maximumContent: level.maximumContentLightLevel, maximumAverage: level.maximumFrameAverageLightLevel)
    }
    if let box = CodecString.dolbyVision(entry) { format.dolbyVision = .init(profile: box.profile, level: box.level) }
    let setUp: [FourCC] = ["avcC", "hvcC", "vvcC", "av1C", "vpcC", "d263", "glbl"]
    if let node = setUp.lazy.compactMap({ entry.first($0) }).first {
      format.decoderConfiguration = node.payload
    } else {
      format.decoderConfiguration = CodecString.descriptor(entry)?.decoderSpecificInfo ?? []
    }
    return format
  }

  /// The colour of a sample entry's `colr` box.
  static func colour(_ entry: BoxNode) -> VideoTrackFormat.Colour? {
    // There may be a second one with an ICC profile.
    let boxes = entry.all("colr").compactMap { $0.box(as: ColourInformationBox.self) }
    guard let box = boxes.first(where: { $0.colourType == "nclx" || $0.colourType == "nclc" }) else { return nil }
    return .init(
      primaries: box.colourPrimaries, transfer: box.transferCharacteristics, matrix: box.matrixCoefficients,
      isFullRange: box.isFullRange)
  }

  // MARK: Encryption

  private static func protection(_ sinf: BoxNode) -> Protection? {
    let scheme = sinf.child("schm", as: SchemeTypeBox.self)?.schemeType
    let keyID = sinf.first("schi")?.child("tenc", as: TrackEncryptionBox.self)?.keyID
    return Protection(scheme: scheme ?? "????", defaultKeyID: keyID ?? [])
  }
}
