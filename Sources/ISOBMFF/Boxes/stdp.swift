/// The degradation priority of each sample, 16 bits each: how harmful its loss would be.
///
/// Source: ISO/IEC 14496-12, 8.5.3.
public struct DegradationPriorityBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The priorities, two bytes per sample.
  public var priorities: ArraySlice<UInt8> = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.slice("priorities", &priorities, count: coder.remaining)
  }
}
