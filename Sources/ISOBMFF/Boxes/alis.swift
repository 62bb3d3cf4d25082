/// A reference to media by a Macintosh alias; almost always to this file.
///
/// Source: QuickTime File Format, Data Reference Atoms.
package struct DataEntryAliasBox: DataEntry {
  package var versionAndFlags = VersionAndFlags(flags: 1)
  /// The alias record; empty where the media is in this file.
  package var alias: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.rest("alias", &alias)
  }
}
