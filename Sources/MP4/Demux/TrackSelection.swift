public import MediaCore

/// Which tracks of a movie are kept.
public enum TrackSelection: Sendable, Hashable {
  /// All, including those that are neither audio nor video.
  case all
  /// Those of these kinds.
  case kinds(MediaType)
  /// Those with these identifiers (`Track.id`), all of which the movie must have.
  case ids(Set<UInt32>)

  /// Whether a track is kept.
  public func contains(_ track: Track) -> Bool {
    switch self {
    case .all: true
    case .kinds(let kinds):
      switch track.kind {
      case .audio: kinds.contains(.audio)
      case .video: kinds.contains(.video)
      default: false
      }
    case .ids(let ids): ids.contains(track.id)
    }
  }

  /// Checks that a movie has the tracks that are named.
  ///
  /// - Throws: `MP4Error` `.noSuchTrack` for the lowest identifier that no track has.
  package func check(_ movie: MP4Demuxer) throws(MP4Error) {
    guard case .ids(let ids) = self, let missing = ids.subtracting(movie.tracks.map(\.id)).min() else { return }
    throw MP4Error(.noSuchTrack, file: movie.reader.source.name, trackID: missing)
  }
}
