/// Media by name, and possibly at an address.
///
/// Source: ISO/IEC 14496-12, 8.7.2.
public struct DataEntryURNBox: DataEntry {
  public var versionAndFlags = VersionAndFlags()
  /// The name.
  public var name = BoxText()
  /// The address; need not be there.
  public var location = BoxText(bytes: [], isTerminated: false)

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.text("name", &name)
    try coder.text("location", &location)
  }
}
