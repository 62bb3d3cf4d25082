/// A reference to media by URL.
///
/// Source: ISO/IEC 14496-12, 8.7.2.
package struct DataEntryURLBox: DataEntry {
  package var versionAndFlags = VersionAndFlags(flags: 1)
  /// The URL; absent if the media is in this file.
  package var location = BoxText(bytes: [], isTerminated: false)

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.text("location", &location)
  }
}
