public import MediaCore

/// A stretch of a movie: a value, so a program can make lists of them, sort them, and keep them.
///
/// Times are those of the presentation, as a viewer counts them: edit lists applied, 0 where the movie begins.
public struct MovieClip: Sendable {
  /// The movie that it is a part of.
  public internal(set) var movie: MP4Demuxer
  /// Where it begins; never before 0.
  public var start: MediaTime { didSet { start = max(start, .zero) } }
  /// Where it ends; `nil` for the end of the movie.
  public var end: MediaTime?

  /// Ticks of sound at the beginning of a track that are not heard although nothing in the index says so, by track.
  package var priming: [UInt32: Int64]

  /// What stretches of the same movie have in common, by track, if it was found for all of them: each would look at all
  /// samples otherwise.
  var extents: [UInt32: TrackExtent] = [:]

  /// Finds what many stretches of a movie have in common. A damaged track is left to those that need it.
  package mutating func findExtents() {
    // Fragments are put into one index for each stretch, with other times.
    guard movie.movieTracks.allSatisfy({ $0.fragments.isEmpty }) else { return }
    for track in movie.describedTracks where !track.index.isExternal { extents[track.id] = try? TrackExtent(track) }
  }

  /// A stretch of a movie, with what is known of its sound beyond its index.
  package init(_ movie: MP4Demuxer, from start: MediaTime, to end: MediaTime?, priming: [UInt32: Int64]) {
    self.movie = movie
    self.start = max(start, .zero)
    self.end = end
    self.priming = priming
  }
}
