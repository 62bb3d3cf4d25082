/// At which samples decoding can begin although some that follow refer to earlier ones: open GOPs.
///
/// Source: QuickTime File Format, Partial Sync Sample Atom.
package struct PartialSyncSampleBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Numbers of samples, counted from 1, ascending.
  package var sampleNumbers = PackedTable<UInt32>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("sample_numbers", &sampleNumbers)
  }
}
