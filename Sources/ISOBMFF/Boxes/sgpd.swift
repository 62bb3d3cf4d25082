package import MediaCore

/// What groups of samples have in common; `sbgp` says which samples are in which group.
///
/// Source: ISO/IEC 14496-12, 8.9.3.
package struct SampleGroupDescriptionBox: Box {
  package var versionAndFlags = VersionAndFlags(version: 1)
  /// What the groups mean: `roll`, `prol`, `rap `, `seig`.
  package var groupingType: FourCC = "roll"
  /// Size in bytes of each description, or 0 if each states its own; since version 1.
  package var defaultLength: UInt32 = 0
  /// The group of samples that are in none, counted from 1; since version 2.
  package var defaultDescriptionIndex: UInt32 = 0
  /// The descriptions, if their sizes are known: since version 1.
  package var descriptions: [[UInt8]] = []
  /// Number of descriptions in version 0, which does not state their sizes.
  package var entryCount: UInt32 = 0
  /// The descriptions of version 0, one after another.
  package var packed: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("grouping_type", &groupingType)
    guard versionAndFlags.version > 0 else {
      try coder.integer("entry_count", &entryCount)
      return try coder.rest("entries", &packed)
    }
    try coder.integer("default_length", &defaultLength)
    if versionAndFlags.version > 1 {
      try coder.integer("default_group_description_index", &defaultDescriptionIndex)
    }
    let (length, isVariable) = (Int(defaultLength), defaultLength == 0)
    try coder.countedList(
      "entries", &descriptions, by: UInt32.self, minimumSize: isVariable ? 4 : length, make: { [] }
    ) { (coder, description) throws(BoxError) in
      if isVariable {
        try coder.sizedBytes("description", &description, by: UInt32.self)
      } else {
        try coder.bytes("description", &description, count: length)
      }
    }
  }

  /// The description of a group, counted from 1.
  package func description(at index: Int) -> [UInt8]? {
    guard index >= 1 else { return nil }
    if versionAndFlags.version > 0 {
      return index <= descriptions.count ? descriptions[index - 1] : nil
    }
    // The standard's own kinds of groups have descriptions of equal size.
    guard entryCount > 0, index <= Int(entryCount) else { return nil }
    let length = packed.count / Int(entryCount)
    return Array(packed[((index - 1) * length)..<(index * length)])
  }
}
