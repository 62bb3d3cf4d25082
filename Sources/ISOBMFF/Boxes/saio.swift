package import MediaCore

/// The file offsets of the samples' auxiliary information.
///
/// Source: ISO/IEC 14496-12, 8.7.9.
package struct SampleAuxiliaryInformationOffsetsBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The kind of information, if flag 1 is set.
  package var type = AuxiliaryInformationType()
  /// One offset for each chunk or run, or one for all, in 32 bits each (version 0): from the start of the file, or in a
  /// fragment from its base for data offsets.
  package var offsets32 = PackedTable<UInt32>()
  /// The same in 64 bits (version 1).
  package var offsets64 = PackedTable<UInt64>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    if versionAndFlags.flags & 1 != 0 { try type.code(with: &coder) }
    if versionAndFlags.version == 0 {
      try coder.countedTable("offsets", &offsets32)
    } else {
      try coder.countedTable("offsets", &offsets64)
    }
  }
}

/// The kind of auxiliary information.
///
/// Source: ISO/IEC 14496-12, 8.7.8.
package struct AuxiliaryInformationType: Sendable, Hashable {
  /// The encryption scheme, for encryption: `cenc`.
  package var type: FourCC = "cenc"
  /// Distinguishes streams of the same type.
  package var parameter: UInt32 = 0

  /// Encryption.
  package init() {}

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fourCC("aux_info_type", &type)
    try coder.integer("aux_info_type_parameter", &parameter)
  }
}
