public import MediaCore

/// A stretch of a movie: a value, so a program can make lists of them, sort them, and keep them.
///
/// Times are those of the presentation, as a viewer counts them: edit lists applied, 0 where the movie begins.
public struct MovieClip: Sendable {
  /// The movie that it is a part of.
  public var movie: MP4Demuxer
  /// Where it begins.
  public var start: MediaTime
  /// Where it ends; `nil` for the end of the movie.
  public var end: MediaTime?

  /// A stretch of a movie.
  ///
  /// - Parameters:
  ///   - movie: the movie.
  ///   - start: where the stretch begins; before 0 is taken as 0.
  ///   - end: where it ends; `nil`, or anything after the end of the movie, for its end.
  public init(_ movie: MP4Demuxer, from start: MediaTime = .zero, to end: MediaTime? = nil) {
    self.movie = movie
    self.start = max(start, .zero)
    self.end = end
  }
}
