/// Subtitles as XML: TTML.
///
/// Source: ISO/IEC 14496-12, 12.6.3.
package struct XMLSubtitleSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// XML namespaces, separated by spaces.
  package var namespace = BoxText("http://www.w3.org/ns/ttml")
  /// The locations of the namespaces' schemas.
  package var schemaLocation = BoxText()
  /// The types of images and fonts in the samples.
  package var auxiliaryMIMETypes = BoxText()

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.text("namespace", &namespace)
    try coder.text("schema_location", &schemaLocation)
    try coder.text("auxiliary_mime_types", &auxiliaryMIMETypes)
  }
}
