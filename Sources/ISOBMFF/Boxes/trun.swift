internal import MediaCore

/// A run of samples that are contiguous in the file.
///
/// The content of each sample's entry depends on the flags: any of duration, size, flags and composition offset, four
/// bytes each; what is missing comes from the defaults in `tfhd` and `trex`.
///
/// Source: ISO/IEC 14496-12, 8.8.8.
package struct TrackRunBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Number of samples.
  package var sampleCount: UInt32 = 0
  /// The offset of the first sample, from the fragment's base.
  package var dataOffset: Int32 = 0
  /// Flags of the first sample, if it differs from the others.
  package var firstSampleFlags: UInt32 = 0
  /// The samples' fields, packed.
  package var packed: ArraySlice<UInt8> = []

  /// Which fields are present.
  package enum Flag {
    /// `data_offset` is present.
    package static let dataOffset: UInt32 = 0x1
    /// `first_sample_flags` is present.
    package static let firstSampleFlags: UInt32 = 0x4
    /// Each sample has a duration.
    package static let sampleDuration: UInt32 = 0x100
    /// Each sample has a size.
    package static let sampleSize: UInt32 = 0x200
    /// Each sample has flags.
    package static let sampleFlags: UInt32 = 0x400
    /// Each sample has a composition offset.
    package static let sampleCompositionTimeOffset: UInt32 = 0x800
  }

  package init() {}

  /// Whether a flag is set.
  package func has(_ flag: UInt32) -> Bool { versionAndFlags.flags & flag != 0 }

  /// Size in bytes of one sample's fields: 0, 4, 8, 12 or 16.
  package var entrySize: Int { (versionAndFlags.flags & 0xF00).nonzeroBitCount * 4 }

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sample_count", &sampleCount)
    if has(Flag.dataOffset) { try coder.integer("data_offset", &dataOffset) }
    if has(Flag.firstSampleFlags) { try coder.integer("first_sample_flags", &firstSampleFlags) }
    if coder.isPrinting { return coder.remark("samples", .table(preview)) }
    if coder.isReading {
      let room = entrySize == 0 ? UInt64(UInt32.max) : UInt64(coder.remaining / entrySize)
      guard UInt64(sampleCount) <= room else {
        throw BoxError(.countExceedsBox(claimed: UInt64(sampleCount), room: room), field: "sample_count")
      }
    }
    try coder.slice("samples", &packed, count: Int(sampleCount) * entrySize)
  }

  private var preview: TablePreview {
    let names: [(UInt32, String)] = [
      (Flag.sampleDuration, "sample_duration"), (Flag.sampleSize, "sample_size"), (Flag.sampleFlags, "sample_flags"),
      (Flag.sampleCompositionTimeOffset, "sample_composition_time_offset"),
    ]
    let columns = names.filter { has($0.0) }.map(\.1)
    let span = packed.span
    var rows: [[Int64]] = []
    for row in 0..<min(Int(sampleCount), PackedTableLimits.previewRows) where entrySize > 0 {
      var values: [Int64] = []
      for (index, column) in columns.enumerated() {
        let offset = row * entrySize + index * 4
        guard offset + 4 <= span.count else { break }
        let isSigned = column == "sample_composition_time_offset"
        values.append(
          isSigned
            ? Int64(span.bigEndian(at: offset, as: Int32.self)) : Int64(span.bigEndian(at: offset, as: UInt32.self)))
      }
      rows.append(values)
    }
    return TablePreview(columns: columns, rows: rows, total: Int(sampleCount))
  }
}
