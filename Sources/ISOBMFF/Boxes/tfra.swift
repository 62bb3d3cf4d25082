/// At which samples decoding of a track can begin, fragment by fragment.
///
/// Source: ISO/IEC 14496-12, 8.8.10.
package struct TrackFragmentRandomAccessBox: Box {
  package var versionAndFlags = VersionAndFlags(version: 1)
  /// The track.
  package var trackID: UInt32 = 1
  /// Kept as is.
  package var reserved: UInt32 = 0
  /// Size in bytes of `trafNumber` in each entry, minus one.
  package var trafNumberSizeMinusOne: UInt8 = 0
  /// Size in bytes of `trunNumber` in each entry, minus one.
  package var trunNumberSizeMinusOne: UInt8 = 0
  /// Size in bytes of `sampleNumber` in each entry, minus one.
  package var sampleNumberSizeMinusOne: UInt8 = 0
  /// Sync samples, in order of time.
  package var entries: [TrackFragmentRandomAccessEntry] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    try coder.integer("track_ID", &trackID)
    try coder.reservedBits(&reserved, 26)
    try coder.bits("length_size_of_traf_num", &trafNumberSizeMinusOne, 2)
    try coder.bits("length_size_of_trun_num", &trunNumberSizeMinusOne, 2)
    try coder.bits("length_size_of_sample_num", &sampleNumberSizeMinusOne, 2)
    let wide = versionAndFlags.version == 1
    let sizes = [trafNumberSizeMinusOne, trunNumberSizeMinusOne, sampleNumberSizeMinusOne].map { Int($0 & 3) + 1 }
    try coder.countedList(
      "entries", &entries, by: UInt32.self, minimumSize: (wide ? 16 : 8) + sizes.reduce(0, +),
      make: TrackFragmentRandomAccessEntry.init
    ) { (coder, entry) throws(BoxError) in
      try coder.integer("time", &entry.time, wide: wide)
      try coder.integer("moof_offset", &entry.moofOffset, wide: wide)
      try coder.bits("traf_number", &entry.trafNumber, sizes[0] * 8)
      try coder.bits("trun_number", &entry.trunNumber, sizes[1] * 8)
      try coder.bits("sample_number", &entry.sampleNumber, sizes[2] * 8)
    }
  }
}

/// A sync sample in a fragment.
package struct TrackFragmentRandomAccessEntry: Sendable, Hashable {
  /// When it is shown, in ticks of the track.
  package var time: UInt64 = 0
  /// The file offset of the fragment's `moof`.
  package var moofOffset: UInt64 = 0
  /// The number of the `traf` in it, counted from 1.
  package var trafNumber: UInt32 = 1
  /// The number of the `trun` in that, counted from 1.
  package var trunNumber: UInt32 = 1
  /// The number of the sample in that, counted from 1.
  package var sampleNumber: UInt32 = 1

  /// The first sample of a fragment.
  package init() {}
}
