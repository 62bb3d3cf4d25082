internal import MP4
internal import MediaCore

extension AudioTrim {
  /// What a movie says about a track.
  ///
  /// - Throws: `MP4Error` if reading fails.
  init(_ movie: MP4Demuxer, track: Track, _ lengths: PacketLengths, sampleRate: Int) throws(MP4Error) {
    var start: Int64 = 0
    do throws(MP4Error) {
      var samples = movie.samples(of: track)
      start = try samples.nextRecord()?.presentationTime ?? 0
    } catch {
      // Decoding will report damage.
      if case .source = error.code { throw error }
    }
    self.init(
      track: track, start: MediaTime(value: start, timescale: track.timescale),
      length: try lengths.total(movie, track),
      smoothPlayback: movie.metadata.tags.first { $0.identifier.hasSuffix("iTunSMPB") }?.value,
      sampleRate: sampleRate)
  }
}
