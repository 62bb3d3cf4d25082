/// Timed metadata as XML.
///
/// Source: ISO/IEC 14496-12, 12.3.3.
public struct XMLMetaDataSampleEntry: SampleEntry {
  public var head = SampleEntryHead()
  /// How samples are compressed; empty if they are not.
  public var contentEncoding = BoxText()
  /// XML namespaces, separated by spaces.
  public var namespace = BoxText()
  /// The locations of the namespaces' schemas.
  public var schemaLocation = BoxText()

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.text("content_encoding", &contentEncoding)
    try coder.text("namespace", &namespace)
    try coder.text("schema_location", &schemaLocation)
  }
}
