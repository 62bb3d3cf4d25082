/// A box of `stsd`: what some samples of the track are.
package protocol SampleEntry: Box {
  /// The fields that every sample entry begins with.
  var head: SampleEntryHead { get set }
}

extension SampleEntry {
  /// Which entry of `dref` says where the media is, counted from 1.
  package var dataReferenceIndex: UInt16 {
    get { head.dataReferenceIndex }
    set { head.dataReferenceIndex = newValue }
  }
}

/// The fields that every sample entry begins with.
///
/// Source: ISO/IEC 14496-12, 8.5.2.
package struct SampleEntryHead: Sendable, Hashable {
  /// Kept as is.
  package var reserved: [UInt8] = []
  /// Which entry of `dref` says where the media is, counted from 1.
  package var dataReferenceIndex: UInt16 = 1

  /// A head that refers to the first data reference.
  package init() {}

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.reserved(&reserved, count: 6)
    try coder.integer("data_reference_index", &dataReferenceIndex)
  }
}
