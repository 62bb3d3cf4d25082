internal import AAC
package import MediaCore

/// Decodes a sound track to the PCM that should be heard, pulled by its caller: AAC, Apple Lossless, PCM, and whatever
/// a program adds to `AudioDecoders`.
///
/// ```
/// let decoder = try AudioTrackDecoder(movie, track: track)
/// while let sound = try decoder.next() { try wav.append(sound) }
/// ```
///
/// Priming and remainder are cut off: of N frames that were encoded, N come out. Broken packets are concealed,
/// counted and reported to `onFault`.
package final class AudioTrackDecoder {
  /// The output format, which loses nothing: integers for lossless codecs of up to 32 bits, floats for others; channels
  /// in WAVE order.
  package var format: AudioFormat { decoder.format }
  /// Whether the samples are the ones that were encoded, so that `format` is what a file of them should have. What a
  /// lossy codec such as AAC yields has no depth of its own.
  package var isLossless: Bool { decoder.isLossless }
  /// The most frames that `next()` delivers.
  package var maximumFrames: Int { decoder.maximumFrames }
  /// Which of the decoded frames are heard.
  package let trim: AudioTrim
  /// Identifier of the track; 1 of a stream.
  package let trackID: UInt32
  /// Number of the packet that is decoded next.
  package var packetNumber: UInt64 { source.number }
  /// Packets concealed so far.
  package private(set) var concealedPackets: UInt64 = 0
  /// Frames delivered or skipped by seeking: the number of the next one in what is heard.
  package private(set) var position: Int64 = 0
  /// Frames to be heard; `nil` if the file does not say.
  package var frameCount: Int64? { trim.frameCount }
  /// Bytes missing from the last packet of a stream that ends inside one, once `next()` has returned `nil`; 0 for a
  /// movie, whose damaged end is an error.
  package var missingBytes: UInt64 { source.stream?.missingBytes ?? 0 }
  /// Called for each broken packet, with its number; the file is not named.
  package var onFault: ((AudioDecodingError) -> Void)?

  private var decoder: any AudioDecoder
  /// Decoders of configurations that the packets changed from, as they often change back. Each takes some 100 kB.
  private var earlier: [Int: any AudioDecoder] = [:]
  private static let mostEarlier = 16
  private let decoders: AudioDecoders
  private var source: PacketSource
  /// Descriptions of a movie's track; those of a stream are found while reading.
  private let descriptions: [SampleDescription]
  private var descriptionIndex = 0
  /// The piece that is being delivered.
  private var piece = 0
  /// First frame of the next packet's output, counted from the track's first packet.
  private var nextFrame: Int64 = 0
  /// Frames before this one are skipped: the target of a seek.
  private var firstWanted: Int64 = 0
  /// Frames of the packet decoded last that are still to be delivered.
  private var pending = 0..<0
  /// The target of a seek that failed; the next call tries again.
  private var unreached: Int64?
  /// A packet whose bytes could not be read yet, or what is left of an ADTS frame of several packets that could not be
  /// separated.
  private var rest: (packet: PacketSource.Packet, offset: Int, blocks: Int)?

  init(
    _ source: PacketSource, _ decoder: any AudioDecoder, _ decoders: AudioDecoders, _ trim: AudioTrim, track: UInt32,
    _ descriptions: [SampleDescription]
  ) {
    self.source = source
    self.decoder = decoder
    self.decoders = decoders
    self.trim = trim
    trackID = track
    self.descriptions = descriptions
  }

  /// Checks that the file was not changed since it was opened; called last by code that makes another file of its
  /// sound.
  ///
  /// - Throws: `AudioDecodingError`, for a `SourceError` `.changed`.
  package func checkUnchanged() throws(AudioDecodingError) {
    try source.checkUnchanged()
  }

  // MARK: Pulling

  /// The next sound, or `nil` at the end: the frames of one packet, minus what is cut off.
  ///
  /// Its time is the number of its first frame in what is heard, `position`: edits are applied.
  ///
  /// - Throws: `AudioDecodingError`.
  package func next() throws(AudioDecodingError) -> PCMSample? {
    guard let frames = try take() else { return nil }
    return PCMSample(decoder.buffer(frames), at: position - Int64(frames.count), trackID: trackID)
  }

  /// Decodes the next sound into the caller's memory, as interleaved floats, full scale at -1 and 1, not clipped. Of
  /// the library's own decoders, none allocates anything.
  ///
  /// - Parameter samples: its beginning is overwritten. It needs room for a frame at least; with room for
  ///   `maximumFrames` it takes all of any packet. What does not fit comes next time.
  /// - Returns: how many frames were written, those of one packet at most; `nil` at the end.
  /// - Throws: `AudioDecodingError`.
  package func next(into samples: inout MutableSpan<Float>) throws(AudioDecodingError) -> Int? {
    guard let frames = try take(samples.count) else { return nil }
    decoder.copy(frames, to: &samples)
    return frames.count
  }

  /// Decodes the next sound into the caller's memory, as interleaved 16-bit samples, rounded to the nearest and
  /// clipped. Nothing is allocated, as above.
  ///
  /// - Parameter samples: as for floats.
  /// - Returns: as for floats.
  /// - Throws: `AudioDecodingError`.
  package func next(into samples: inout MutableSpan<Int16>) throws(AudioDecodingError) -> Int? {
    guard let frames = try take(samples.count) else { return nil }
    decoder.copy(frames, to: &samples)
    return frames.count
  }

  /// Decodes the next sound into the caller's memory, as interleaved samples of full scale at the ends of `Int32`,
  /// whatever their depth; floats are rounded and clipped. Nothing is allocated for integers, as above.
  ///
  /// - Parameter samples: as for floats.
  /// - Returns: as for floats.
  /// - Throws: `AudioDecodingError`.
  package func next(into samples: inout MutableSpan<Int32>) throws(AudioDecodingError) -> Int? {
    guard let frames = try take(samples.count) else { return nil }
    decoder.copy(frames, to: &samples)
    return frames.count
  }

  /// Takes the next frames, as many as make no more than this many samples; `nil` at the end.
  private func take(_ samples: Int = .max) throws(AudioDecodingError) -> Range<Int>? {
    guard let frames = try nextFrames()?.prefix(samples / format.channels) else { return nil }
    pending = frames.upperBound..<max(pending.upperBound, frames.upperBound)
    position += Int64(frames.count)
    return frames
  }

  /// Which frames of the packet decoded last come next. If none are left, decodes packets until one has frames to be
  /// heard.
  private func nextFrames() throws(AudioDecodingError) -> Range<Int>? {
    if let unreached { try go(to: unreached, unless: { false }) }
    if !pending.isEmpty { return pending }
    while piece < trim.pieces.count {
      let wanted = trim.pieces[piece]
      let begin = nextFrame
      guard begin < wanted.upperBound else {
        piece += 1
        source.renewAllowance(frames: wanted.upperBound - wanted.lowerBound, channels: format.channels)
        if piece < trim.pieces.count { try go(to: trim.pieces[piece].lowerBound, unless: { false }) }
        continue
      }
      guard try decodeNext() else { break }
      let (low, high) = (max(wanted.lowerBound, firstWanted, begin), min(wanted.upperBound, nextFrame))
      guard low < high else { continue }
      pending = Int(low - begin)..<Int(high - begin)
      return pending
    }
    if let damage = trim.damage { throw .movie(damage) }
    return nil
  }

  /// Seeks to a frame of what is heard.
  ///
  /// The packet before it is decoded too, since windows overlap: for AAC-LC, the output is the same as without seeking.
  /// In a stream, which has no index, the headers of all packets before are read.
  ///
  /// - Parameter frame: counted from 0; past the end, `next()` returns `nil`.
  /// - Throws: `AudioDecodingError`.
  package func seek(to frame: Int64) throws(AudioDecodingError) {
    try seek(to: frame, unless: { false })
  }

  /// The same, but stops as soon as `isAbandoned` returns true: then it has to seek again.
  func seek(to frame: Int64, unless isAbandoned: () -> Bool) throws(AudioDecodingError) {
    position = max(frame, 0)
    pending = 0..<0
    source.renewAllowance()
    var left = position
    for (number, range) in trim.pieces.enumerated() {
      guard left >= range.upperBound - range.lowerBound else {
        piece = number
        return try go(to: range.lowerBound + left, unless: isAbandoned)
      }
      left -= range.upperBound - range.lowerBound
    }
    piece = trim.pieces.count
    unreached = nil
  }

  /// Makes a frame of the media the next one to be decoded.
  private func go(to frame: Int64, unless isAbandoned: () -> Bool) throws(AudioDecodingError) {
    (rest, unreached) = (nil, frame)
    decoder.reset()
    nextFrame = try source.seek(to: frame, decoder, unless: isAbandoned)
    (firstWanted, unreached) = (frame, nil)
  }

  /// Decodes a packet.
  ///
  /// - Returns: whether there was one.
  private func decodeNext() throws(AudioDecodingError) -> Bool {
    let (packet, offset, blocks): (PacketSource.Packet, Int, Int)
    if let rest {
      (packet, offset, blocks) = rest
    } else {
      guard let next = try source.next() else { return false }
      (packet, offset, blocks) = (next, 0, next.blocks)
    }
    if packet.descriptionIndex != descriptionIndex { try change(to: packet.descriptionIndex, at: packet.number) }
    // If reading fails, the next call begins with the same packet.
    rest = (packet, offset, blocks)
    let decoded = try source.withBytes(packet) { (bytes) throws(AudioDecodingError) in
      rest = nil
      do {
        return try decoder.decodePacket(bytes.extracting(offset...))
      } catch {
        throw located(error, packet.number, in: source.file)
      }
    }
    if let fault = decoded.fault {
      concealedPackets += 1
      onFault?(located(fault, packet.number, in: ""))
    }
    let done = decoded.usedBytes.map { offset + $0 } ?? packet.size
    rest = blocks > 1 && done < packet.size ? (packet, done, blocks - 1) : nil
    nextFrame += Int64(min(max(decoded.frames, 0), decoder.maximumFrames, packet.frames))
    return true
  }

  private func located(_ error: any Error, _ packet: UInt64, in file: String) -> AudioDecodingError {
    let descriptions = source.stream?.descriptions ?? descriptions
    let codec = descriptions.indices.contains(descriptionIndex) ? descriptions[descriptionIndex].codecName : ""
    return AudioDecodingError(error, codec: codec, packet: packet, file: file)
  }

  /// Switches to a new configuration, at a packet that was just read. It must yield as many frames a packet, at the same
  /// rate; other channels are mixed to those of the beginning.
  private func change(to index: Int, at packet: UInt64) throws(AudioDecodingError) {
    let next = if let known = earlier[index] { known } else { try decoder(of: index, at: packet) }
    if earlier.count == AudioTrackDecoder.mostEarlier { earlier = [:] }
    earlier[descriptionIndex] = decoder
    next.reset()
    (decoder, descriptionIndex) = (next, index)
  }

  /// A decoder of another configuration, in the format of the beginning.
  private func decoder(of index: Int, at packet: UInt64) throws(AudioDecodingError) -> any AudioDecoder {
    // For the first description our own is used, which the first packets completed: a stream may come back to it.
    let descriptions = descriptions.prefix(1) + (source.stream?.descriptions ?? descriptions).dropFirst()
    guard descriptions.indices.contains(index) else {
      throw located(AudioCodecError(.noDescription(index), codec: ""), packet, in: source.file)
    }
    let own = try decoders.decoder(for: source.settled(descriptions[index]), in: source.file)
    let next: (any AudioDecoder)? = own.format == format ? own : MixedDecoder(own, as: format)
    guard let next, next.framesPerPacket == decoder.framesPerPacket,
      next.bytesPerFrame == decoder.bytesPerFrame, next.maximumFrames <= decoder.maximumFrames
    else {
      let codec = descriptions[index].codecName
      let error = AudioCodecError(.notDecodable("a stream that changes its rate or channels"), codec: codec)
      throw located(error, packet, in: source.file)
    }
    return next
  }
}
