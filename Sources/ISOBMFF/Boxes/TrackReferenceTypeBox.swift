/// Tracks that a track refers to; the box's type says how: `chap` for chapters, `tmcd` for time code.
///
/// Source: ISO/IEC 14496-12, 8.3.3.
package struct TrackReferenceTypeBox: Box {
  /// Identifiers of tracks.
  package var trackIDs = PackedTable<UInt32>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    let count = coder.isReading ? coder.remaining / UInt32.size : trackIDs.count
    try coder.table("track_IDs", &trackIDs, count: UInt64(count))
  }
}
