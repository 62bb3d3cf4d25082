/// An index of a segment's parts by level: which bytes are needed for a lower rate.
///
/// Source: ISO/IEC 14496-12, 8.16.4.
package struct SubsegmentIndexBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// For each part of the segment, consecutive ranges of bytes.
  package var subsegments: [SubsegmentRanges] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedList("subsegments", &subsegments, by: UInt32.self, minimumSize: 4, make: SubsegmentRanges.init) {
      (coder, subsegment) throws(BoxError) in
      try coder.countedTable("ranges", &subsegment.levelsAndSizes, countName: "range_count")
    }
  }
}

/// The ranges of a part of a segment.
package struct SubsegmentRanges: Sendable, Hashable {
  /// The level in the highest 8 bits, bytes in the lower 24.
  package var levelsAndSizes = PackedTable<UInt32>()

  /// No ranges.
  package init() {}
}
