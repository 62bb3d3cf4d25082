/// Subtitles as XML: TTML.
///
/// Source: ISO/IEC 14496-12, 12.6.3.
public struct XMLSubtitleSampleEntry: SampleEntry {
  public var head = SampleEntryHead()
  /// XML namespaces, separated by spaces.
  public var namespace = BoxText("http://www.w3.org/ns/ttml")
  /// The locations of the namespaces' schemas.
  public var schemaLocation = BoxText()
  /// The types of images and fonts in the samples.
  public var auxiliaryMIMETypes = BoxText()

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.text("namespace", &namespace)
    try coder.text("schema_location", &schemaLocation)
    try coder.text("auxiliary_mime_types", &auxiliaryMIMETypes)
  }
}
