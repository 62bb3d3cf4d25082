public import MP4
public import MediaCore

/// Divides a movie into stretches that follow one another: each frame is in one of them.
///
///     let movie = try MP4Demuxer(path: "book.m4b")
///     for (number, piece) in try MovieSplitter(movie).pieces(at: .chapters).enumerated() {
///       try MovieEditor(piece.clip, to: "chapter \(number + 1).m4b").run()
///     }
public struct MovieSplitter {
  /// Where to divide.
  public enum Places: Sendable, Hashable {
    /// Where chapters begin. What comes before the first one belongs to it.
    case chapters
    /// After each stretch of this length, above 0; after 100 000 of them, what is left is the last piece.
    case every(MediaTime)
    /// Such that each piece, as a file with the index in front, has at most so many bytes. Pictures are divided where
    /// one needs no other.
    case size(UInt64)
    /// In the middle of each stretch whose samples stay below a level, in decibels relative to full scale (such as -50),
    /// for so many seconds, above 0.
    case silence(below: Double, seconds: Double)
  }

  /// A part of the movie.
  public struct Piece: Sendable {
    /// The stretch.
    public let clip: MovieClip
    /// The title of its chapter, if it is one.
    public let title: String?
  }

  private var whole: MovieClip
  private let tracks: TrackSelection
  private var movie: MP4Demuxer { whole.movie }

  /// A splitter of a movie.
  ///
  /// - Parameters:
  ///   - movie: the movie.
  ///   - tracks: those that the pieces will have, as in `MovieEditor.Options`: they tell how large a piece is, where
  ///     pictures can be divided, and whose silence counts.
  public init(_ movie: MP4Demuxer, tracks: TrackSelection = .all) {
    whole = MovieClip(movie)
    self.tracks = tracks
  }

  /// Divides the movie.
  ///
  /// - Parameters:
  ///   - places: where.
  ///   - progress: called now and then with the share that is done, 0 to 1, where that takes long.
  /// - Returns: the pieces in their order; only one where there is nothing to divide at.
  /// - Throws: `MP4Error`: what is wrong with the index, `.pieceTooLarge`, `.noSuchTrack`; `AudioDecodingError` for
  ///   `.silence`; whatever `progress` throws.
  public func pieces(at places: Places, progress: (Double) throws -> Void = { _ in }) throws -> [Piece] {
    try tracks.check(movie)
    var splitter = self
    splitter.whole.findExtents()
    return try splitter.divided(at: places, progress)
  }

  private func divided(at places: Places, _ progress: (Double) throws -> Void) throws -> [Piece] {
    switch places {
    case .chapters: try chapters()
    case .every(let length): pieces(startingAt: every(length))
    case .size(let bytes): pieces(startingAt: try SizeSplit(whole, tracks).starts(bytes, progress))
    case .silence(let level, let seconds):
      pieces(startingAt: try SilenceSplit(movie, tracks).starts(below: level, seconds: seconds, progress))
    }
  }

  private func chapters() throws(MP4Error) -> [Piece] {
    var chapters = try movie.chapters().filter { $0.start < movie.shownDuration || movie.shownDuration == .zero }
    chapters.sort { $0.start < $1.start }
    guard !chapters.isEmpty else { return [Piece(clip: whole, title: nil)] }
    return chapters.indices.compactMap { index in
      let end = index + 1 < chapters.count ? chapters[index + 1].start : nil
      let start = index == 0 ? .zero : chapters[index].start
      // Of chapters that begin together, the last one counts.
      guard end.map({ start < $0 }) ?? true else { return nil }
      return piece(start, end, title: chapters[index].title)
    }
  }

  private func every(_ length: MediaTime) -> [MediaTime] {
    guard length > .zero else { return [.zero] }
    var starts: [MediaTime] = []
    // Products and not sums, so that nothing drifts.
    while starts.count < MovieSplitter.mostPieces {
      let (value, overflow) = length.value.multipliedReportingOverflow(by: Int64(starts.count))
      let start = MediaTime(value: value, timescale: length.timescale)
      guard !overflow, start < movie.shownDuration || starts.isEmpty else { break }
      starts.append(start)
    }
    return starts
  }

  /// More pieces than anybody has use for.
  private static let mostPieces = 100_000

  private func pieces(startingAt starts: [MediaTime]) -> [Piece] {
    starts.indices.map { piece(starts[$0], $0 + 1 < starts.count ? starts[$0 + 1] : nil, title: nil) }
  }

  private func piece(_ start: MediaTime, _ end: MediaTime?, title: String?) -> Piece {
    var clip = whole
    (clip.start, clip.end) = (start, end)
    return Piece(clip: clip, title: title)
  }
}
