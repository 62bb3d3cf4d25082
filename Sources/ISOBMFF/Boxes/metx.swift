/// Timed metadata as XML.
///
/// Source: ISO/IEC 14496-12, 12.3.3.
package struct XMLMetaDataSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// How samples are compressed; empty if they are not.
  package var contentEncoding = BoxText()
  /// XML namespaces, separated by spaces.
  package var namespace = BoxText()
  /// The locations of the namespaces' schemas.
  package var schemaLocation = BoxText()

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.text("content_encoding", &contentEncoding)
    try coder.text("namespace", &namespace)
    try coder.text("schema_location", &schemaLocation)
  }
}
