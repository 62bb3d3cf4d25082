/// An index of a segment's parts by level: which bytes are needed for a lower rate.
///
/// Source: ISO/IEC 14496-12, 8.16.4.
public struct SubsegmentIndexBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// For each part of the segment, consecutive ranges of bytes.
  public var subsegments: [SubsegmentRanges] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedList("subsegments", &subsegments, by: UInt32.self, minimumSize: 4, make: SubsegmentRanges.init) {
      (coder, subsegment) throws(BoxError) in
      try coder.countedTable("ranges", &subsegment.levelsAndSizes, countName: "range_count")
    }
  }
}

/// The ranges of a part of a segment.
public struct SubsegmentRanges: Sendable, Hashable {
  /// The level in the highest 8 bits, bytes in the lower 24.
  public var levelsAndSizes = PackedTable<UInt32>()

  /// No ranges.
  public init() {}
}
