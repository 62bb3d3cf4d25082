/// A reference to media by URL.
///
/// Source: ISO/IEC 14496-12, 8.7.2.
public struct DataEntryURLBox: DataEntry {
  public var versionAndFlags = VersionAndFlags(flags: 1)
  /// The URL; absent if the media is in this file.
  public var location = BoxText(bytes: [], isTerminated: false)

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.text("location", &location)
  }
}
