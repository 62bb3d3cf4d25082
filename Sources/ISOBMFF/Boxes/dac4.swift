internal import MediaCore

/// Properties of an AC-4 stream.
///
/// Source: ETSI TS 103 190-2, E.6.
package struct AC4SpecificBox: Box {
  /// Version of this box's content: 1.
  package var dsiVersion: UInt8 = 1
  /// Version of the bit stream.
  package var bitStreamVersion: UInt8 = 2
  /// Rate: 0 is 44.1 kHz, 1 is 48 kHz.
  package var sampleRateCode: UInt8 = 1
  /// Index in the standard's table of frame rates.
  package var frameRateIndex: UInt8 = 0
  /// Number of presentations to choose from.
  package var presentationCount: UInt16 = 1
  /// The remaining bytes, whose layout depends on the version.
  package var data: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("ac4_dsi_version", &dsiVersion, 3)
    try coder.bits("bitstream_version", &bitStreamVersion, 7)
    try coder.bits("fs_index", &sampleRateCode, 1)
    try coder.bits("frame_rate_index", &frameRateIndex, 4)
    try coder.bits("n_presentations", &presentationCount, 9)
    try coder.rest("data", &data)
  }
}

extension AC4SpecificBox {
  /// One of the stream's presentations.
  package struct Presentation: Sendable, Hashable {
    /// `presentation_version`: 0, 1, or 2 for immersive stereo.
    package let version: UInt8
    /// `mdcompat`: the level of decoder that can play it, 0 to 7.
    package let compatibility: UInt8
  }

  /// The first presentation, which a player takes by default; `nil` if the box does not hold one, or has a version
  /// before 1, for which no codec string is defined.
  ///
  /// Source: ETSI TS 103 190-2, E.6 and E.10.
  package var firstPresentation: Presentation? {
    guard dsiVersion == 1, presentationCount > 0 else { return nil }
    var reader = BitReader(data)
    do throws(BitReader.EndOfData) {
      // The fields read so far take 24 bits: `reader` is at a byte boundary of the box as well as of `data`.
      if bitStreamVersion > 1, try reader.bits(1) == 1 {
        _ = try reader.bits(16)
        if try reader.bits(1) == 1 { for _ in 0..<4 { _ = try reader.bits(32) } }
      }
      // The bit rate's mode, the rate itself, and its precision.
      _ = try reader.bits(2)
      _ = try reader.bits(32)
      _ = try reader.bits(32)
      _ = try reader.bits((8 - reader.position % 8) % 8)
      let version = UInt8(truncatingIfNeeded: try reader.bits(8))
      if try reader.bits(8) == 255 { _ = try reader.bits(16) }
      guard version <= 2, try reader.bits(5) != 6 else { return nil }
      return Presentation(version: version, compatibility: UInt8(truncatingIfNeeded: try reader.bits(3)))
    } catch {
      return nil
    }
  }
}
