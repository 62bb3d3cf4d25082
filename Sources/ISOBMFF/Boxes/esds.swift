internal import MediaCore

/// The configuration of an MPEG-4 stream: a tree of descriptors.
///
/// The descriptors are kept as is, since writers differ in how they pad lengths and in what they leave out; the
/// properties extract what decoding needs.
///
/// Source: ISO/IEC 14496-14, 5.6; ISO/IEC 14496-1, 7.2.6.
package struct ElementaryStreamDescriptorBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// An ES_Descriptor with its content.
  package var descriptors: [UInt8] = []

  package init() {}

  /// A box with the descriptors of an audio stream.
  ///
  /// - Parameters:
  ///   - objectType: the objectTypeIndication: 0x40 for AAC.
  ///   - bufferSize: size in bytes of the largest sample.
  ///   - maximumBitrate: bits in the busiest second.
  ///   - averageBitrate: bits per second; 0 where it varies and is not known.
  ///   - decoderSpecificInfo: the codec's configuration; for AAC an AudioSpecificConfig.
  package init(
    audio objectType: UInt8, bufferSize: UInt32, maximumBitrate: UInt32, averageBitrate: UInt32,
    decoderSpecificInfo: [UInt8]
  ) {
    let audioStream: UInt8 = 5
    var config: [UInt8] = [objectType, audioStream << 2 | 1]
    config.append(contentsOf: [16, 8, 0].map { UInt8(truncatingIfNeeded: bufferSize >> $0) })
    config.appendBigEndian(maximumBitrate)
    config.appendBigEndian(averageBitrate)
    config += Descriptor.written(.decoderSpecificInfo, decoderSpecificInfo)
    // ES_ID 0 and no flags, as is usual in files, where the track number replaces it. SL packets predefined for MP4: 2.
    let stream = [0, 0, 0] + Descriptor.written(.decoderConfig, config) + Descriptor.written(.syncLayer, [2])
    descriptors = Descriptor.written(.stream, stream)
  }

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    guard coder.isPrinting else { return try coder.rest("ES", &descriptors) }
    if let type = objectTypeIndication { coder.remark("objectTypeIndication", .integer(Int128(type))) }
    if let type = streamType { coder.remark("streamType", .integer(Int128(type))) }
    if let size = bufferSize { coder.remark("bufferSizeDB", .integer(Int128(size))) }
    if let rate = maximumBitrate { coder.remark("maxBitrate", .integer(Int128(rate))) }
    if let rate = averageBitrate { coder.remark("avgBitrate", .integer(Int128(rate))) }
    if let info = decoderSpecificInfo { coder.remark("DecoderSpecificInfo", .bytes(info[...])) }
  }

  /// The object type: 0x40 MPEG-4 audio, 0x20 MPEG-4 visual, 0x6B MP3; ISO/IEC 14496-1, table 5.
  package var objectTypeIndication: UInt8? { decoderConfig?.first }

  /// 4 for video, 5 for audio; ISO/IEC 14496-1, table 6.
  package var streamType: UInt8? { decoderConfig?.dropFirst().first.map { $0 >> 2 } }

  /// Size of the decoder's buffer in bytes.
  package var bufferSize: UInt32? { number(at: 2, count: 3) }

  /// Bits in the busiest second.
  package var maximumBitrate: UInt32? { number(at: 5, count: 4) }

  /// Bits per second over the whole stream; 0 where it varies.
  package var averageBitrate: UInt32? { number(at: 9, count: 4) }

  /// The codec's configuration; for AAC, the AudioSpecificConfig of ISO/IEC 14496-3, 1.6.2.1.
  package var decoderSpecificInfo: [UInt8]? {
    decoderConfig.flatMap { Descriptor.first(.decoderSpecificInfo, in: $0.dropFirst(13)) }.map { Array($0) }
  }

  /// The DecoderConfigDescriptor's bytes after its length.
  private var decoderConfig: ArraySlice<UInt8>? {
    guard let stream = Descriptor.first(.stream, in: descriptors[...]) else {
      return Descriptor.first(.decoderConfig, in: descriptors[...])
    }
    var rest = stream.dropFirst(2)
    guard let flags = rest.popFirst() else { return nil }
    if flags & 0x80 != 0 { rest = rest.dropFirst(2) }  // dependsOn_ES_ID
    if flags & 0x40 != 0, let length = rest.popFirst() { rest = rest.dropFirst(Int(length)) }  // URLstring
    if flags & 0x20 != 0 { rest = rest.dropFirst(2) }  // OCR_ES_Id
    return Descriptor.first(.decoderConfig, in: rest)
  }

  private func number(at offset: Int, count: Int) -> UInt32? {
    guard let bytes = decoderConfig?.dropFirst(offset).prefix(count), bytes.count == count else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
