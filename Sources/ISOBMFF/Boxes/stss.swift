/// At which samples decoding can begin; without this box, at all of them.
///
/// Source: ISO/IEC 14496-12, 8.6.2.
package struct SyncSampleBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Numbers of samples, counted from 1, ascending.
  package var sampleNumbers = PackedTable<UInt32>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("sample_numbers", &sampleNumbers)
  }
}
