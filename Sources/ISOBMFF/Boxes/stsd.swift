/// The sample entries of a track: what codec its samples are in, and how it is set up.
///
/// The entries are the child boxes. Source: ISO/IEC 14496-12, 8.5.2.
public struct SampleDescriptionBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// How many entries follow; files exist whose number is wrong, so the children are what counts.
  public var entryCount: UInt32 = 0

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("entry_count", &entryCount)
  }
}
