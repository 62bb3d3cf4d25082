/// Where a track's media is; sample entries refer to the entries by number.
///
/// The entries are the child boxes. Source: ISO/IEC 14496-12, 8.7.2.
public struct DataReferenceBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Number of entries that follow.
  public var entryCount: UInt32 = 0

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("entry_count", &entryCount)
  }
}

/// An entry of `dref`: says whether the media is in this file or elsewhere.
public protocol DataEntry: Box {
  /// Flag 1 means that the media is in this file.
  var versionAndFlags: VersionAndFlags { get }
}

extension DataEntry {
  /// Whether the media is in this file.
  public var isSelfContained: Bool { versionAndFlags.flags & 1 != 0 }
}
