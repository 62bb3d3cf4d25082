public import MediaCore

/// Which samples are in which group, run by run.
///
/// Source: ISO/IEC 14496-12, 8.9.2.
public struct SampleToGroupBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// What the groups mean: `roll`, `prol`, `rap `, `seig`.
  public var groupingType: FourCC = "roll"
  /// Distinguishes groupings of the same type; since version 1.
  public var groupingTypeParameter: UInt32 = 0
  /// Runs of samples in the same group, in decoding order; samples after the last run are in none.
  public var runs = PackedTable<SampleToGroupEntry>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("grouping_type", &groupingType)
    if versionAndFlags.version > 0 { try coder.integer("grouping_type_parameter", &groupingTypeParameter) }
    try coder.countedTable("entries", &runs)
  }
}

/// Consecutive samples in the same group.
public struct SampleToGroupEntry: TableEntry {
  /// Number of samples.
  public var sampleCount: UInt32
  /// Index in `sgpd`, counted from 1; 0 for no group; above 0x10000, index in the `sgpd` of the same fragment.
  public var groupDescriptionIndex: UInt32

  public static let size = 8
  public static let columns = ["sample_count", "group_description_index"]

  /// An entry from its columns.
  public init(sampleCount: UInt32, groupDescriptionIndex: UInt32) {
    self.sampleCount = sampleCount
    self.groupDescriptionIndex = groupDescriptionIndex
  }

  public init(_ bytes: RawSpan, at offset: Int) {
    sampleCount = bytes.bigEndian(at: offset)
    groupDescriptionIndex = bytes.bigEndian(at: offset + 4)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(sampleCount)
    bytes.appendBigEndian(groupDescriptionIndex)
  }

  public var values: [Int64] { [Int64(sampleCount), Int64(groupDescriptionIndex)] }
}
