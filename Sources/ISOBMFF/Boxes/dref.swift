/// Where a track's media is; sample entries refer to the entries by number.
///
/// The entries are the child boxes. Source: ISO/IEC 14496-12, 8.7.2.
package struct DataReferenceBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Number of entries that follow.
  package var entryCount: UInt32 = 0

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("entry_count", &entryCount)
  }
}

/// An entry of `dref`: says whether the media is in this file or elsewhere.
package protocol DataEntry: Box {
  /// Flag 1 means that the media is in this file.
  var versionAndFlags: VersionAndFlags { get }
}
