/// How bad it would be to lose a sample, 16 bits for each.
///
/// Source: ISO/IEC 14496-12, 8.5.3.
public struct DegradationPriorityBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The priorities, two bytes each, as many as there are samples.
  public var priorities: ArraySlice<UInt8> = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.slice("priorities", &priorities, count: coder.remaining)
  }
}
