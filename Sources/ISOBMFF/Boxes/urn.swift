/// A reference to media by URN, possibly with a URL.
///
/// Source: ISO/IEC 14496-12, 8.7.2.
public struct DataEntryURNBox: DataEntry {
  public var versionAndFlags = VersionAndFlags()
  /// The URN.
  public var name = BoxText()
  /// The URL; optional.
  public var location = BoxText(bytes: [], isTerminated: false)

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.text("name", &name)
    try coder.text("location", &location)
  }
}
