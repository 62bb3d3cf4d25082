/// A reference to media by URN, possibly with a URL.
///
/// Source: ISO/IEC 14496-12, 8.7.2.
package struct DataEntryURNBox: DataEntry {
  package var versionAndFlags = VersionAndFlags()
  /// The URN.
  package var name = BoxText()
  /// The URL; optional.
  package var location = BoxText(bytes: [], isTerminated: false)

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.text("name", &name)
    try coder.text("location", &location)
  }
}
