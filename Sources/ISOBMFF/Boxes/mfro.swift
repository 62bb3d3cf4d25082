/// The size of the index of fragments, in the last bytes of a file, so that the index can be found from the end.
///
/// Source: ISO/IEC 14496-12, 8.8.11.
public struct MovieFragmentRandomAccessOffsetBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Size in bytes of the `mfra` box around it.
  public var parentSize: UInt32 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("parent_size", &parentSize)
  }
}
