internal import AAC
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
    let (length, damage) = try lengths.total(movie, track)
    self.init(
      track: track, start: MediaTime(value: start, timescale: track.timescale), length: length,
      smoothPlayback: movie.metadata.gaplessText,
      sampleRate: decoder.format.sampleRate)
    if pieces == [0..<length], decoder is AACDecoder {
      var samples = movie.samples(of: track)
      leaveOutPriming(of: try? samples.next(), decoder)
    }
    if pieces.last?.upperBound == length { self.damage = damage }
    if decoder.delay > 0 {
      addDelay(
        decoder.delay, frameLength: decoder.maximumFrames, packets: Int64(clamping: track.sampleCount), length: length)
    }
  }
}

extension AudioTrim {
  /// Leaves out the priming of an encoder that names itself in the first packet and leaves no other trace of it.
  ///
  /// - Parameters:
  ///   - first: the first packet of the track or stream.
  ///   - decoder: the decoder of its packets.
  mutating func leaveOutPriming(of first: EncodedSample?, _ decoder: any AudioDecoder) {
    guard decoder.framesPerPacket == EncoderNote.primingOfFAAC, let name = EncoderNote.faac(in: first),
      let all = pieces.first
    else { return }
    pieces[0] = min(Int64(EncoderNote.primingOfFAAC), all.upperBound)..<all.upperBound
    encoder = name
  }
}
