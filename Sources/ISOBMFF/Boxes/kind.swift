/// The role of a track: main, commentary, description.
///
/// Source: ISO/IEC 14496-12, 8.10.4.
package struct KindBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The vocabulary that defines the role: `urn:mpeg:dash:role:2011`.
  package var schemeURI = BoxText()
  /// The role.
  package var value = BoxText()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.text("schemeURI", &schemeURI)
    try coder.text("value", &value)
  }
}
