package import MediaCore

/// Which samples are in which group, as repeating patterns.
///
/// Source: ISO/IEC 14496-12, 8.9.5.
package struct CompactSampleToGroupBox: Box {
  /// The flags give the widths in bits of the packed numbers.
  package var versionAndFlags = VersionAndFlags()
  /// What the groups mean: `roll`, `prol`, `rap `, `seig`.
  package var groupingType: FourCC = "roll"
  /// Distinguishes groupings of the same type, if flag 0x40 is set.
  package var groupingTypeParameter: UInt32 = 0
  /// Number of patterns.
  package var patternCount: UInt32 = 0
  /// First a length and a number of samples for each pattern, then the group at each position in each pattern.
  package var packed: [UInt8] = []

  /// A pattern of groups that repeats over some samples.
  package struct Pattern: Sendable, Hashable {
    /// Number of samples that it covers.
    package var sampleCount: UInt32
    /// Indices in `sgpd`, counted from 1; 0 for no group. The highest bit means the `sgpd` of the same fragment, if
    /// flag 0x80 is set.
    package var groupDescriptionIndices: [UInt32]
  }

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 0)
    try coder.fourCC("grouping_type", &groupingType)
    if versionAndFlags.flags & 0x40 != 0 { try coder.integer("grouping_type_parameter", &groupingTypeParameter) }
    try coder.integer("pattern_count", &patternCount)
    try coder.rest("patterns", &packed)
  }

  /// The patterns, or `nil` if the box ends before they do.
  package var patterns: [Pattern]? {
    // Each of three widths is 4 << n bits, with n in two bits of the flags.
    func width(_ shift: UInt32) -> Int { 4 << Int(versionAndFlags.flags >> shift & 3) }
    let (patternWidth, countWidth, indexWidth) = (width(4), width(2), width(0))
    var reader = BitReader(packed)
    guard Int(patternCount) <= reader.remaining / (patternWidth + countWidth) else { return nil }
    var shapes: [(length: Int, samples: UInt32)] = []
    do {
      for _ in 0..<patternCount {
        shapes.append((Int(try reader.bits(patternWidth)), try reader.bits(countWidth)))
      }
      var patterns: [Pattern] = []
      for shape in shapes {
        guard shape.length <= reader.remaining / indexWidth else { return nil }
        var indices: [UInt32] = []
        for _ in 0..<shape.length { indices.append(try reader.bits(indexWidth)) }
        patterns.append(Pattern(sampleCount: shape.samples, groupDescriptionIndices: indices))
      }
      return patterns
    } catch {
      return nil
    }
  }
}
