/// The degradation priority of each sample, 16 bits each: how harmful its loss would be.
///
/// Source: ISO/IEC 14496-12, 8.5.3.
package struct DegradationPriorityBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The priorities, two bytes per sample.
  package var priorities: ArraySlice<UInt8> = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.slice("priorities", &priorities, count: coder.remaining)
  }
}
