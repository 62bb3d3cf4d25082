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
    let source = PacketSource(stream, framesPerPacket: decoder.framesPerPacket ?? decoder.maximumFrames)
    var trim = AudioTrim.none
    trim.leaveOutPriming(of: packet, decoder)
    self.init(
      source, decoder, decoders, trim, track: first.track.id, description.map { [$0] } ?? [])
  }
}
