/// The number of a movie fragment.
///
/// Source: ISO/IEC 14496-12, 8.8.5.
public struct MovieFragmentHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Increases from fragment to fragment.
  public var sequenceNumber: UInt32 = 1

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sequence_number", &sequenceNumber)
  }
}
