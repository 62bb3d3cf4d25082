/// At which samples decoding can begin although some that follow refer to earlier ones: open GOPs.
///
/// Source: QuickTime File Format, Partial Sync Sample Atom.
public struct PartialSyncSampleBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Numbers of samples, counted from 1, ascending.
  public var sampleNumbers = PackedTable<UInt32>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedTable("sample_numbers", &sampleNumbers)
  }
}
