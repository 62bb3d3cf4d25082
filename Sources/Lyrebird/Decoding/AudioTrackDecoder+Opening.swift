package import AAC
package import MP4
package import MediaCore

// Decoders of what there is: tracks of movies, and streams.
extension AudioTrackDecoder {
  /// A decoder of a movie's track.
  ///
  /// - Parameters:
  ///   - movie: the movie.
  ///   - track: one of its audio tracks.
  ///   - decoders: the decoders that there are: the library's, and those of the program.
  /// - Throws: `AudioDecodingError`: for a codec that none of them is for, or that is damaged at its start.
  package convenience init(
    _ movie: MP4Demuxer, track: Track, decoders: AudioDecoders = .builtIn()
  ) throws(AudioDecodingError) {
    let file = movie.reader.source.name
    if movie.isExternal(track) { throw .movie(MP4Error(.externalData, file: file, trackID: track.id)) }
    var samples = movie.samples(of: track)
    var descriptions = track.descriptions
    if !descriptions.isEmpty { descriptions[0] = descriptions[0].settled { try samples.next() } }
    let decoder = try decoders.decoder(for: descriptions.first, in: file)
    let lengths = PacketLengths(decoder, movie.samples(of: track), track)
    let trim: AudioTrim
    do {
      trim = try AudioTrim(movie, track: track, lengths, decoder)
    } catch {
      throw .movie(error)
    }
    self.init(
      PacketSource(movie, track, lengths), decoder, decoders, trim, track: track.id, descriptions)
  }

  /// A decoder of a stream, which has no edits: everything is heard, except the priming of FAAC.
  ///
  /// - Throws: `AudioDecodingError`: for what cannot be decoded.
  package convenience init(
    _ stream: AACStream, decoders: AudioDecoders = .builtIn()
  ) throws(AudioDecodingError) {
    var first = stream
    let packet: EncodedSample?
    do { packet = try first.next() } catch { throw .aac(error) }
    var packets = stream
    let description = first.track.descriptions.first?.settled { try packets.next() }
    let decoder = try decoders.decoder(for: description, in: stream.source.source.name)
    let source = PacketSource(
      PacketStream(stream), framesPerPacket: decoder.framesPerPacket ?? decoder.maximumFrames)
    var trim = AudioTrim.none
    trim.leaveOutPriming(of: packet, decoder)
    self.init(
      source, decoder, decoders, trim, track: first.track.id, description.map { [$0] } ?? [])
  }

  /// A decoder of the fragments of a movie as they come.
  ///
  /// - Parameters:
  ///   - packets: those of an audio track.
  ///   - movie: what the header says of the movie.
  ///   - decoders: the decoders that there are: the library's, and those of the program.
  /// - Returns: `nil` if more has to be known first: how many frames each packet has, if only times tell, or, for the
  ///   delay of SBR and for edits in coarse ticks, when the sound ends.
  /// - Throws: `AudioDecodingError`: for what cannot be decoded.
  convenience init?(
    _ packets: FragmentStream, of movie: MP4Demuxer, decoders: AudioDecoders
  ) throws(AudioDecodingError) {
    let track = packets.track
    var descriptions = track.descriptions
    var first: EncodedSample?
    do throws(MP4Error) {
      var packets = packets
      first = try packets.next()
    } catch {
      throw .movie(error)
    }
    var following = packets
    if !descriptions.isEmpty { descriptions[0] = descriptions[0].settled { try following.next() } }
    let decoder = try decoders.decoder(for: descriptions.first, in: packets.source.source.name)
    guard let length = decoder.framesPerPacket, decoder.bytesPerFrame == nil else { return nil }
    let start = MediaTime(value: first?.timing.presentationTime ?? 0, timescale: track.timescale)
    var trim = AudioTrim(
      track: track, start: start, length: .max, smoothPlayback: movie.metadata.gaplessText,
      sampleRate: decoder.format.sampleRate)
    // Where ticks are coarser than frames, only the media itself tells the last frame.
    let isExact = track.edits.allSatisfy {
      $0.duration.value == 0 || Int($0.duration.timescale) >= decoder.format.sampleRate
    }
    guard trim.pieces.count == 1, trim.pieces[0].upperBound == .max || isExact,
      !trim.movesBeginning(by: decoder.delay, frameLength: decoder.maximumFrames)
    else { return nil }
    if trim == .none, decoder is AACDecoder { trim.leaveOutPriming(of: first, decoder) }
    let stream = PacketStream(packets, framesPerPacket: length, sampleRate: decoder.format.sampleRate)
    self.init(
      PacketSource(stream, framesPerPacket: length), decoder, decoders, trim, track: track.id, descriptions)
  }
}
