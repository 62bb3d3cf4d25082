/// The year of recording.
///
/// Source: 3GPP TS 26.244, 8.
package struct RecordingYearBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The year.
  package var year: UInt16 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("recordingyear", &year)
  }
}
