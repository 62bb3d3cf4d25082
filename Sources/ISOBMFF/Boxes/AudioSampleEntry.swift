/// The fields that all sample entries of audio tracks begin with, whatever the codec; its configuration follows in
/// child boxes.
///
/// The 16-bit fields soon became too small. QuickTime added more fields after these: four in version 1, and in version
/// 2 a floating-point rate and 32-bit counts. ISO's own version 1, identified by version 1 of the `stsd` around it,
/// adds no fields but a `srat` box.
///
/// Source: ISO/IEC 14496-12, 12.2.3; QuickTime File Format, Sound Sample Descriptions.
package struct AudioSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// 0, 1 or 2.
  package var entryVersion: UInt16 = 0
  /// Kept as is: QuickTime's revision and vendor.
  package var reserved: [UInt8] = []
  /// Number of channels; in version 2 always 3.
  package var channelCount: UInt16 = 2
  /// Bits per sample; in version 2 always 16.
  package var sampleSize: UInt16 = 16
  /// QuickTime's compression number: -2 means that version 1's counts are valid.
  package var compressionID: Int16 = 0
  /// Kept as is.
  package var packetSize: UInt16 = 0
  /// Samples per second, 16.16; 0 or 1 where it does not fit.
  package var sampleRate: UInt32 = 0
  /// QuickTime's version 1 fields.
  package var quickTime1 = QuickTimeSoundV1()
  /// QuickTime's version 2 fields.
  package var quickTime2 = QuickTimeSoundV2()

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.integer("entry_version", &entryVersion)
    try coder.reserved(&reserved, count: 6)
    try coder.integer("channelcount", &channelCount)
    try coder.integer("samplesize", &sampleSize)
    try coder.integer("compression_ID", &compressionID)
    try coder.integer("packet_size", &packetSize)
    try coder.fixed("samplerate", &sampleRate, fractionBits: 16)
    guard coder.context.sampleDescriptionVersion == 0 else { return }
    if entryVersion == 1 { try quickTime1.code(with: &coder) }
    if entryVersion == 2 { try quickTime2.code(with: &coder) }
  }
}

/// The layout of compressed audio of constant rate: QuickTime's version 1 sound description.
package struct QuickTimeSoundV1: Sendable, Hashable {
  /// Frames per packet.
  package var samplesPerPacket: UInt32 = 0
  /// Bytes per packet, for one channel.
  package var bytesPerPacket: UInt32 = 0
  /// Bytes per packet, for all channels.
  package var bytesPerFrame: UInt32 = 0
  /// Bytes per uncompressed sample.
  package var bytesPerSample: UInt32 = 0

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("samples_per_packet", &samplesPerPacket)
    try coder.integer("bytes_per_packet", &bytesPerPacket)
    try coder.integer("bytes_per_frame", &bytesPerFrame)
    try coder.integer("bytes_per_sample", &bytesPerSample)
  }
}

/// High rates, many channels, any layout: QuickTime's version 2 sound description.
package struct QuickTimeSoundV2: Sendable, Hashable {
  /// Bytes from the start of the entry to its child boxes.
  package var sizeOfStruct: UInt32 = 72
  /// Samples per second, as the bits of a 64-bit floating-point number.
  package var sampleRateBits: UInt64 = 0
  /// Number of channels.
  package var channelCount: UInt32 = 0
  /// 0x7F000000.
  package var always7F000000: UInt32 = 0x7F00_0000
  /// Bits per uncompressed sample of one channel; 0 for compressed audio.
  package var bitsPerChannel: UInt32 = 0
  /// Format flags: 1 floating point, 2 big-endian, 4 signed, 8 packed.
  package var formatFlags: UInt32 = 0
  /// Bytes per packet if that is constant, otherwise 0.
  package var bytesPerPacket: UInt32 = 0
  /// Frames per packet if that is constant, otherwise 0.
  package var framesPerPacket: UInt32 = 0

  /// Samples per second.
  package var sampleRate: Double { Double(bitPattern: sampleRateBits) }

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("size_of_struct", &sizeOfStruct)
    if coder.isPrinting {
      coder.remark("sample_rate", .number(sampleRate))
    } else {
      try coder.integer("sample_rate", &sampleRateBits)
    }
    try coder.integer("channel_count", &channelCount)
    try coder.integer("always_7F000000", &always7F000000)
    try coder.integer("bits_per_channel", &bitsPerChannel)
    try coder.integer("format_flags", &formatFlags)
    try coder.integer("bytes_per_packet", &bytesPerPacket)
    try coder.integer("frames_per_packet", &framesPerPacket)
  }
}
