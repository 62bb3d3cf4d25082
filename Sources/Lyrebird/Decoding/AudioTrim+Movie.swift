internal import AAC
internal import MP4
internal import MediaCore

extension AudioTrim {
  /// What a movie says about a track.
  ///
  /// - Throws: `MP4Error` if reading fails.
  init(_ movie: MP4Demuxer, track: Track, _ decoder: AACDecoder) throws(MP4Error) {
    let (rate, frameLength) = (decoder.format.sampleRate, Int64(decoder.frameLength))
    let count = Int64(clamping: min(track.sampleCount, 1 << 48))
    var (start, last): (Int64, Int64) = (0, frameLength)
    do throws(MP4Error) {
      var samples = movie.samples(of: track)
      start = try samples.nextRecord()?.presentationTime ?? 0
      try samples.seek(toSample: UInt64(max(count - 1, 0)))
      if let record = try samples.nextRecord(), record.duration > 0 {
        let duration = MediaTime(value: record.duration, timescale: track.timescale)
        last = min(duration.converted(to: UInt32(clamping: rate))?.value ?? frameLength, frameLength)
      }
    } catch {
      // Decoding will report a damaged end.
      if case .source = error.code { throw error }
    }
    self.init(
      track: track, start: MediaTime(value: start, timescale: track.timescale),
      length: count == 0 ? 0 : (count - 1) * frameLength + last,
      smoothPlayback: movie.metadata.tags.first { $0.identifier.hasSuffix("iTunSMPB") }?.value, sampleRate: rate)
  }
}
