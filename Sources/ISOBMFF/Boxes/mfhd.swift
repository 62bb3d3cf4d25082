/// The number of a movie fragment.
///
/// Source: ISO/IEC 14496-12, 8.8.5.
package struct MovieFragmentHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Increases from fragment to fragment.
  package var sequenceNumber: UInt32 = 1

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sequence_number", &sequenceNumber)
  }
}
