internal import MediaCore

/// Where the samples of a track are found: the tables of its `trak` box, then its fragments. Shared by all that read
/// the track, and never changed.
final class SampleIndex: Sendable {
  let table: SampleTable
  let fragments: TrackFragmentList?
  let fragmentDefaults: FragmentDefaults
  /// Why there may be more samples than can be found: thrown after the last good one.
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

  /// What stands for the index of a track that the movie does not have: no samples, and that as the reason.
  convenience init(missing id: UInt32, file: String) {
    self.init(fragments: nil, fragmentDefaults: nil, defect: MP4Error(.noSuchTrack, file: file, trackID: id))
  }
}
