/// The sample entries of a track: the codec of its samples, and its configuration.
///
/// The entries are the child boxes. Source: ISO/IEC 14496-12, 8.5.2.
public struct SampleDescriptionBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Number of entries that follow; it is wrong in some files, so the children count.
  public var entryCount: UInt32 = 0

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("entry_count", &entryCount)
  }
}
