/// The year of recording.
///
/// Source: 3GPP TS 26.244, 8.
public struct RecordingYearBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The year.
  public var year: UInt16 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("recordingyear", &year)
  }
}
