public import MediaCore

/// A stretch of a movie: a value, so a program can make lists of them, sort them, and keep them.
///
/// Times are those of the presentation, as a viewer counts them: edit lists applied, 0 where the movie begins.
public struct MovieClip: Sendable {
  /// The movie that it is a part of.
  public internal(set) var movie: MP4Demuxer
  /// Where it begins.
  public var start: MediaTime
  /// Where it ends; `nil` for the end of the movie.
  public var end: MediaTime?

  /// Ticks of sound at the beginning of a track that are not heard although nothing in the index says so, by track.
  package var priming: [UInt32: Int64]

  /// A stretch of a movie, with what is known of its sound beyond its index.
  package init(_ movie: MP4Demuxer, from start: MediaTime, to end: MediaTime?, priming: [UInt32: Int64]) {
    self.movie = movie
    self.start = max(start, .zero)
    self.end = end
    self.priming = priming
  }
}
