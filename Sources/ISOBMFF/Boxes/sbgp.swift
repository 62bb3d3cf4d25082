package import MediaCore

/// Which samples are in which group, run by run.
///
/// Source: ISO/IEC 14496-12, 8.9.2.
package struct SampleToGroupBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// What the groups mean: `roll`, `prol`, `rap `, `seig`.
  package var groupingType: FourCC = "roll"
  /// Distinguishes groupings of the same type; since version 1.
  package var groupingTypeParameter: UInt32 = 0
  /// Runs of samples in the same group, in decoding order; samples after the last run are in none.
  package var runs = PackedTable<SampleToGroupEntry>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("grouping_type", &groupingType)
    if versionAndFlags.version > 0 { try coder.integer("grouping_type_parameter", &groupingTypeParameter) }
    try coder.countedTable("entries", &runs)
  }
}

/// Consecutive samples in the same group.
package struct SampleToGroupEntry: TableEntry {
  /// Number of samples.
  package var sampleCount: UInt32
  /// Index in `sgpd`, counted from 1; 0 for no group; above 0x10000, index in the `sgpd` of the same fragment.
  package var groupDescriptionIndex: UInt32

  package static let size = 8
  package static let columns = ["sample_count", "group_description_index"]

  /// An entry from its columns.
  package init(sampleCount: UInt32, groupDescriptionIndex: UInt32) {
    self.sampleCount = sampleCount
    self.groupDescriptionIndex = groupDescriptionIndex
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    sampleCount = bytes.bigEndian(at: offset)
    groupDescriptionIndex = bytes.bigEndian(at: offset + 4)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(sampleCount)
    bytes.appendBigEndian(groupDescriptionIndex)
  }

  package var values: [Int64] { [Int64(sampleCount), Int64(groupDescriptionIndex)] }
}
