/// The size of the index of fragments, in the last bytes of a file, so that the index can be found from the end.
///
/// Source: ISO/IEC 14496-12, 8.8.11.
package struct MovieFragmentRandomAccessOffsetBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Size in bytes of the `mfra` box around it.
  package var parentSize: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("parent_size", &parentSize)
  }
}
