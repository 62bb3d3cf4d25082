internal import ISOBMFF
public import MediaCore

/// Descriptions for samples from an encoder, where there is no file yet to take one from.
extension SampleDescription {
  /// AAC, or any other kind of MPEG-4 audio with an AudioSpecificConfig: an `mp4a` entry with its `esds` box.
  ///
  /// Source: ISO/IEC 14496-14, 5.6.
  ///
  /// - Parameters:
  ///   - config: the AudioSpecificConfig of ISO/IEC 14496-3, 1.6.2.1.
  ///   - sampleRate: the rate of the decoded sound, in Hz. If it is above 65 535, the entry cannot hold it and says
  ///   0; the AudioSpecificConfig has it.
  ///   - channels: 1 to 65 535.
  ///   - averageBitRate: in bits per second; 0 where it varies and is not known.
  ///   - maximumBitRate: bits in the busiest second; 0 where it is not known.
  public static func aac(
    audioSpecificConfig config: [UInt8], sampleRate: Int, channels: Int, averageBitRate: Int = 0,
    maximumBitRate: Int = 0
  ) -> SampleDescription {
    var entry = AudioSampleEntry()
    entry.channelCount = UInt16(clamping: channels)
    entry.sampleRate = UInt32(UInt16(exactly: sampleRate) ?? 0) << 16
    // The decoder input buffer specified for AAC: 6144 bits per channel. Source: ISO/IEC 14496-3, 4.5.3.
    let buffer = UInt32(clamping: max(channels, 0)).multipliedReportingOverflow(by: 6144 / 8)
    let esds = ElementaryStreamDescriptorBox(
      audio: ObjectType.mpeg4Audio, bufferSize: min(buffer.overflow ? .max : buffer.partialValue, 0xFF_FFFF),
      maximumBitrate: UInt32(clamping: maximumBitRate), averageBitrate: UInt32(clamping: averageBitRate),
      decoderSpecificInfo: config)
    return SampleDescriptionReader.description(BoxNode("mp4a", entry, children: [BoxNode("esds", esds)]))
  }

  /// Apple Lossless: an `alac` entry with its `alac` box.
  ///
  /// Source: Apple Lossless Audio Codec, "Storage of Apple Lossless streams in MP4".
  ///
  /// - Parameters:
  ///   - configuration: the payload of the box: version and flags, and the 24 bytes of the configuration.
  ///   - sampleRate: in Hz. If it is above 65 535, the entry cannot hold it and says 0; the configuration has it.
  ///   - channels: 1 to 8.
  ///   - bitDepth: bits of a sample.
  public static func appleLossless(
    configuration: [UInt8], sampleRate: Int, channels: Int, bitDepth: Int
  ) -> SampleDescription {
    var entry = AudioSampleEntry()
    entry.channelCount = UInt16(clamping: channels)
    entry.sampleSize = UInt16(clamping: bitDepth)
    entry.sampleRate = UInt32(UInt16(exactly: sampleRate) ?? 0) << 16
    // Parsed like a box from a file, so that its fields are known.
    let child = BoxNode(header: BoxHeader(type: "alac"), content: .opaque(configuration[...]))
    let made = BoxNode("alac", entry, children: [child])
    return SampleDescriptionReader.description(BoxNode.sampleEntry(made.written, handler: "soun") ?? made)
  }

  /// H.264 whose parameter sets are in the description: an `avc1` entry with its `avcC` box.
  ///
  /// Source: ISO/IEC 14496-15, 5.4.2.
  ///
  /// - Parameters:
  ///   - configuration: the payload of `avcC`, an AVCDecoderConfigurationRecord.
  ///   - width: coded width in pixels.
  ///   - height: coded height in pixels.
  public static func h264(configuration: [UInt8], width: Int, height: Int) -> SampleDescription {
    video("avc1", "avcC", configuration, width: width, height: height)
  }

  /// H.265 whose parameter sets are in the description: an `hvc1` entry with its `hvcC` box.
  ///
  /// Source: ISO/IEC 14496-15, 8.4.1.
  ///
  /// - Parameters:
  ///   - configuration: the payload of `hvcC`, an HEVCDecoderConfigurationRecord.
  ///   - width: coded width in pixels.
  ///   - height: coded height in pixels.
  public static func h265(configuration: [UInt8], width: Int, height: Int) -> SampleDescription {
    video("hvc1", "hvcC", configuration, width: width, height: height)
  }

  private static func video(
    _ type: FourCC, _ box: FourCC, _ configuration: [UInt8], width: Int, height: Int
  ) -> SampleDescription {
    var entry = VisualSampleEntry()
    entry.width = UInt16(clamping: width)
    entry.height = UInt16(clamping: height)
    // Parsed like a box from a file, so that profile and level in the configuration are known.
    let child = BoxNode(header: BoxHeader(type: box), content: .opaque(configuration[...]))
    let made = BoxNode(type, entry, children: [child])
    return SampleDescriptionReader.description(BoxNode.sampleEntry(made.written, handler: "vide") ?? made)
  }
}

extension BoxNode {
  /// A sample entry parsed from its bytes, or `nil` if they are not one.
  static func sampleEntry(_ bytes: [UInt8], handler: FourCC, stsdVersion: UInt8 = 0) -> BoxNode? {
    var parser = BoxParser(SourceReader(MemorySource(bytes)))
    var context = BoxContext()
    context.handler = handler
    context.sampleDescriptionVersion = stsdVersion
    guard let header = try? parser.header(at: 0, limit: UInt64(bytes.count)) else { return nil }
    return try? parser.node(header, parent: "stsd", context: context)
  }
}
