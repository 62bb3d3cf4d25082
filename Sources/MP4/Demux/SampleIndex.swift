internal import MediaCore

/// Where the samples of a track are found: the tables of its `trak` box, then its fragments. Shared by all readers of
/// the track, and immutable.
final class SampleIndex: Sendable {
  let table: SampleTable
  let fragments: TrackFragmentList?
  let fragmentDefaults: FragmentDefaults
  /// Why samples after the last good one may be missing: thrown after it.
  let defect: MP4Error?
  /// Whether the samples are in another file.
  let isExternal: Bool

  init(
    table: SampleTable = SampleTable(), fragments: TrackFragmentList?, fragmentDefaults: FragmentDefaults?,
    defect: MP4Error? = nil, isExternal: Bool = false
  ) {
    self.table = table
    self.fragments = fragments
    self.fragmentDefaults = fragmentDefaults ?? FragmentDefaults(nil)
    self.defect = defect
    self.isExternal = isExternal
  }

  /// A placeholder for the index of a track that the movie does not have: no samples, and that fact as the defect.
  convenience init(missing id: UInt32, file: String) {
    self.init(fragments: nil, fragmentDefaults: nil, defect: MP4Error(.noSuchTrack, file: file, trackID: id))
  }
}
