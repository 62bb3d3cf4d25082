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
      // Only a decoder finds priming that the index leaves out: without one, there is none to take into account.
      guard let decoder = try? AudioTrackDecoder(movie, track: track), decoder.trim.encoder != nil else { continue }
      priming[track.id] = decoder.trim.pieces.first?.lowerBound
    }
    self.init(movie, from: start, to: end, priming: priming)
  }
}
