internal import MediaCore

extension MovieTrack {
  /// The value of the tag `iTunSMPB` for sound that was cut off, with the frames that are left; `nil` if the movie has
  /// no such tag, or it is about what is there.
  ///
  /// - Parameter end: when the last sample that is left ends, in ticks of the media.
  func gaplessText(cutAt end: Int64, _ metadata: MovieMetadata) -> String? {
    guard let heard = heardTicks(by: metadata), end > heard.lowerBound, end < heard.upperBound,
      description.audioFormat?.sampleRate == Double(description.timescale)
    else { return nil }
    return GaplessText.make(priming: heard.lowerBound, remainder: 0, frames: end - heard.lowerBound)
  }

  /// The ticks of the track that are heard, as far as a tag of its movie says so; `nil` if none does.
  func heardTicks(by metadata: MovieMetadata) -> Range<Int64>? {
    guard description.kind == .audio, let format = description.audioFormat,
      let heard = metadata.gaplessText.flatMap({ GaplessText.heard($0) })
    else { return nil }
    // The tag counts ticks of the track, which with SBR may be half as many as the frames. Its numbers have to be
    // converted only if the timescale is neither the sampling rate nor half of it.
    let (rate, timescale) = (Int128(format.sampleRate.rounded()), Int128(description.timescale))
    guard rate > 0, rate != timescale, rate != 2 * timescale else { return heard }
    let first = Int64(clamping: Int128(heard.lowerBound) * timescale / rate)
    return first..<max(Int64(clamping: Int128(heard.upperBound) * timescale / rate), first)
  }
}
