internal import MP4
internal import MediaCore

extension AudioTrim {
  /// What a movie says about a track.
  ///
  /// - Throws: `MP4Error` if reading fails.
  init(_ movie: MP4Demuxer, track: Track, _ lengths: PacketLengths, _ decoder: any AudioDecoder) throws(MP4Error) {
    var start: Int64 = 0
    do throws(MP4Error) {
      var samples = movie.samples(of: track)
      start = try samples.nextRecord()?.presentationTime ?? 0
    } catch {
      // Decoding will report damage.
      if case .source = error.code { throw error }
    }
    let length = try lengths.total(movie, track)
    self.init(
      track: track, start: MediaTime(value: start, timescale: track.timescale), length: length,
      smoothPlayback: movie.metadata.tags.first { $0.identifier.hasSuffix("iTunSMPB") }?.value,
      sampleRate: decoder.format.sampleRate)
    if decoder.delay > 0 { addDelay(decoder.delay, frameLength: decoder.maximumFrames, length: length) }
  }
}
