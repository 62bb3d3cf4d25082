/// The sample entries of a track: the codec of its samples, and its configuration.
///
/// The entries are the child boxes. Source: ISO/IEC 14496-12, 8.5.2.
package struct SampleDescriptionBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Number of entries that follow; it is wrong in some files, so the children count.
  package var entryCount: UInt32 = 0

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("entry_count", &entryCount)
  }
}
