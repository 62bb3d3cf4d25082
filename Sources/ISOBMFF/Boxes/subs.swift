/// The sub-samples that samples consist of.
///
/// Source: ISO/IEC 14496-12, 8.7.7.
package struct SubSampleInformationBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Samples that have parts, in decoding order.
  package var entries: [SubSampleEntry] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    let wide = versionAndFlags.version == 1
    try coder.countedList("entries", &entries, by: UInt32.self, minimumSize: 6, make: SubSampleEntry.init) {
      (coder, entry) throws(BoxError) in try entry.code(with: &coder, wide: wide)
    }
  }
}

/// The parts of a sample.
package struct SubSampleEntry: Sendable, Hashable {
  /// The sample's number minus that of the previous entry.
  package var sampleDelta: UInt32 = 1
  /// Its parts, in order.
  package var parts: [SubSample] = []

  /// The next sample, without parts.
  package init() {}

  mutating func code(with coder: inout FieldCoder, wide: Bool) throws(BoxError) {
    try coder.integer("sample_delta", &sampleDelta)
    try coder.countedList("subsamples", &parts, by: UInt16.self, minimumSize: wide ? 10 : 8, make: SubSample.init) {
      (coder, part) throws(BoxError) in try part.code(with: &coder, wide: wide)
    }
  }
}

/// A part of a sample.
package struct SubSample: Sendable, Hashable {
  /// Size in bytes; at most 65535 in version 0.
  package var size: UInt32 = 0
  /// Higher is more important.
  package var priority: UInt8 = 0
  /// 1 if decoding works without it.
  package var discardable: UInt8 = 0
  /// Data whose meaning depends on the codec.
  package var codecSpecificParameters: UInt32 = 0

  /// An empty part.
  package init() {}

  mutating func code(with coder: inout FieldCoder, wide: Bool) throws(BoxError) {
    if wide {
      try coder.integer("subsample_size", &size)
    } else {
      var narrow = UInt16(truncatingIfNeeded: size)
      try coder.integer("subsample_size", &narrow)
      size = UInt32(narrow)
    }
    try coder.integer("subsample_priority", &priority)
    try coder.integer("discardable", &discardable)
    try coder.integer("codec_specific_parameters", &codecSpecificParameters)
  }
}
