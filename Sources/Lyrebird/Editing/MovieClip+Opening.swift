public import MP4
public import MediaCore

extension MovieClip {
  /// A stretch of a movie.
  ///
  /// - Parameters:
  ///   - movie: the movie.
  ///   - start: where the stretch begins; before 0 is taken as 0.
  ///   - end: where it ends; `nil`, or anything after the end of the movie, for its end.
  public init(_ movie: MP4Demuxer, from start: MediaTime = .zero, to end: MediaTime? = nil) {
    var priming: [UInt32: Int64] = [:]
    for track in movie.tracks where track.kind == .audio {
      // What cannot be decoded has no priming that only its packets tell.
      guard let decoder = try? AudioTrackDecoder(movie, track: track), decoder.trim.encoder != nil else { continue }
      priming[track.id] = decoder.trim.pieces.first?.lowerBound
    }
    self.init(movie, from: start, to: end, priming: priming)
  }
}
