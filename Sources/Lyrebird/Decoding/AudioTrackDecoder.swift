public import AAC
public import MP4
public import MediaCore

/// Decodes an AAC track to the PCM that should be heard, pulled by its caller.
///
/// ```swift
/// let decoder = try AudioTrackDecoder(movie, track: track)
/// while let sound = try decoder.next() { try wav.append(sound) }
/// ```
///
/// Priming and remainder are cut off: of N frames that were encoded, N come out. Broken packets are concealed,
/// counted and reported to `onFault`.
public final class AudioTrackDecoder {
  /// The output format: floats, the core's sampling rate, channels in WAVE order.
  public var format: AudioFormat { decoder.format }
  /// Which of the decoded frames are heard.
  public let trim: AudioTrim
  /// Identifier of the track; 1 of an ADTS stream.
  public let trackID: UInt32
  /// Packets in the track; in an ADTS stream, those delivered so far.
  public var packetCount: UInt64 { source.stream?.report.packets ?? indexedPackets }
  /// Number of the packet that is decoded next.
  public var packetNumber: UInt64 { source.number }
  /// Packets concealed so far.
  public private(set) var concealedPackets: UInt64 = 0
  /// Frames delivered or skipped by seeking: the number of the next one in what is heard.
  public private(set) var position: Int64 = 0
  /// Frames to be heard; `nil` if the file does not say.
  public var frameCount: Int64? { trim.frameCount }
  /// Called for each broken packet, with its number.
  public var onFault: ((AACError) -> Void)?

  private var decoder: AACDecoder
  private var source: PacketSource
  /// Descriptions of a movie's track; those of a stream are found while reading.
  private let descriptions: [SampleDescription]
  private let coreOnly: Bool
  private let indexedPackets: UInt64
  private var descriptionIndex = 0
  /// The piece that is being delivered.
  private var piece = 0
  /// First frame of the next packet's output, counted from the track's first packet.
  private var nextFrame: Int64 = 0
  /// Frames before this one are skipped: the target of a seek.
  private var firstWanted: Int64 = 0
  /// Frames of the packet decoded last that are still to be delivered.
  private var pending = 0..<0
  /// What is left of an ADTS frame of several packets that could not be separated.
  private var rest: (packet: EncodedSample, offset: Int, blocks: Int)?

  /// Packets decoded before the one sought, because windows overlap.
  private static let preRoll: Int64 = 1

  /// A decoder of a movie's track.
  ///
  /// - Parameters:
  ///   - movie: the movie.
  ///   - track: one of its audio tracks.
  ///   - coreOnly: whether to decode the core of high-efficiency AAC; it is refused otherwise.
  /// - Throws: `AudioDecodingError`: for what is not AAC, or not such as can be decoded, or is damaged at its start.
  public convenience init(_ movie: MP4Demuxer, track: Track, coreOnly: Bool = false) throws(AudioDecodingError) {
    if movie.isExternal(track) {
      throw .movie(MP4Error(.externalData, file: movie.reader.source.name, trackID: track.id))
    }
    let decoder = try AudioTrackDecoder.decoder(
      track.descriptions.first, coreOnly: coreOnly, file: movie.reader.source.name)
    let trim: AudioTrim
    do { trim = try AudioTrim(movie, track: track, decoder) } catch {
      throw .movie(error)
    }
    self.init(
      PacketSource(movie, track), decoder, trim, track: track.id, track.descriptions, coreOnly: coreOnly,
      packets: track.sampleCount)
  }

  /// A decoder of an ADTS stream, which has no edits: everything is heard.
  ///
  /// - Throws: `AudioDecodingError`: for what cannot be decoded.
  public convenience init(_ stream: ADTSReader, coreOnly: Bool = false) throws(AudioDecodingError) {
    var first = stream
    do { _ = try first.next() } catch { throw .aac(error) }
    let decoder = try AudioTrackDecoder.decoder(
      first.track.descriptions.first, coreOnly: coreOnly, file: stream.source.source.name)
    self.init(PacketSource(stream), decoder, .none, track: first.track.id, [], coreOnly: coreOnly, packets: 0)
  }

  private init(
    _ source: PacketSource, _ decoder: AACDecoder, _ trim: AudioTrim, track: UInt32,
    _ descriptions: [SampleDescription], coreOnly: Bool, packets: UInt64
  ) {
    self.source = source
    self.decoder = decoder
    self.trim = trim
    trackID = track
    self.descriptions = descriptions
    self.coreOnly = coreOnly
    indexedPackets = packets
  }

  private static func decoder(
    _ description: SampleDescription?, coreOnly: Bool, file: String
  ) throws(AudioDecodingError) -> AACDecoder {
    do throws(AACError) {
      guard let description else { throw AACError(.noConfiguration) }
      return try AACDecoder(configuration: try AudioSpecificConfig(description), coreOnly: coreOnly)
    } catch {
      throw .aac(error.located(in: file))
    }
  }

  /// Checks that the file was not changed since it was opened; called last by code that makes another file of its
  /// sound.
  ///
  /// - Throws: `AudioDecodingError`, for a `SourceError` `.changed`.
  public func checkUnchanged() throws(AudioDecodingError) {
    try source.checkUnchanged()
  }

  // MARK: Pulling

  /// The next sound, or `nil` at the end: the frames of one packet, minus what is cut off.
  ///
  /// Its time is the number of its first frame in what is heard, `position`: edits are applied.
  ///
  /// - Throws: `AudioDecodingError`.
  public func next() throws(AudioDecodingError) -> PCMSample? {
    guard let frames = try nextFrames() else { return nil }
    let sound = PCMSample(decoder.buffer(frames), at: position, trackID: trackID)
    deliver(frames)
    return sound
  }

  /// Decodes the next sound into the caller's memory, as interleaved floats, full scale at -1 and 1, not clipped.
  /// Nothing is allocated.
  ///
  /// - Parameter samples: its beginning is overwritten. It needs room for a frame at least; with room for 1024 it takes
  ///   all of any packet. What does not fit comes next time.
  /// - Returns: how many frames were written, those of one packet at most; `nil` at the end.
  /// - Throws: `AudioDecodingError`.
  public func next(into samples: inout MutableSpan<Float>) throws(AudioDecodingError) -> Int? {
    guard let frames = try nextFrames()?.prefix(samples.count / format.channels) else { return nil }
    // The frames fit: there are no more of them than samples have room for.
    unsafe samples.withUnsafeMutableBytes { unsafe decoder.copyFloats(frames, to: $0) }
    deliver(frames)
    return frames.count
  }

  /// Decodes the next sound into the caller's memory, as interleaved 16-bit samples, rounded to the nearest and
  /// clipped. Nothing is allocated.
  ///
  /// - Parameter samples: as for floats.
  /// - Returns: as for floats.
  /// - Throws: `AudioDecodingError`.
  public func next(into samples: inout MutableSpan<Int16>) throws(AudioDecodingError) -> Int? {
    guard let frames = try nextFrames()?.prefix(samples.count / format.channels) else { return nil }
    // The frames fit, as above.
    unsafe samples.withUnsafeMutableBytes { unsafe decoder.copyInt16s(frames, to: $0) }
    deliver(frames)
    return frames.count
  }

  private func deliver(_ frames: Range<Int>) {
    pending = frames.upperBound..<max(pending.upperBound, frames.upperBound)
    position += Int64(frames.count)
  }

  /// Which frames of the packet decoded last come next. If none are left, decodes packets until one has frames to be
  /// heard.
  private func nextFrames() throws(AudioDecodingError) -> Range<Int>? {
    if !pending.isEmpty { return pending }
    while piece < trim.pieces.count {
      let wanted = trim.pieces[piece]
      let begin = nextFrame
      guard begin < wanted.upperBound else {
        piece += 1
        if piece < trim.pieces.count { try go(to: trim.pieces[piece].lowerBound, unless: { false }) }
        continue
      }
      guard try decodeNext() else { break }
      let (low, high) = (max(wanted.lowerBound, firstWanted, begin), min(wanted.upperBound, nextFrame))
      guard low < high else { continue }
      pending = Int(low - begin)..<Int(high - begin)
      return pending
    }
    return nil
  }

  /// Seeks to a frame of what is heard.
  ///
  /// The packet before it is decoded too, since windows overlap: for AAC-LC, the output is the same as without seeking.
  /// In an ADTS stream, which has no index, the headers of all packets before are read.
  ///
  /// - Parameter frame: counted from 0; past the end, `next()` returns `nil`.
  /// - Throws: `AudioDecodingError`.
  public func seek(to frame: Int64) throws(AudioDecodingError) {
    try seek(to: frame, unless: { false })
  }

  /// The same, but stops as soon as `isBrokenOff` returns true: then it has to seek again.
  func seek(to frame: Int64, unless isBrokenOff: () -> Bool) throws(AudioDecodingError) {
    position = max(frame, 0)
    pending = 0..<0
    var left = position
    for (number, range) in trim.pieces.enumerated() {
      guard left >= range.upperBound - range.lowerBound else {
        piece = number
        return try go(to: range.lowerBound + left, unless: isBrokenOff)
      }
      left -= range.upperBound - range.lowerBound
    }
    piece = trim.pieces.count
  }

  /// Makes a frame of the media the next one to be decoded.
  private func go(to frame: Int64, unless isBrokenOff: () -> Bool) throws(AudioDecodingError) {
    let length = Int64(decoder.frameLength)
    let packet = frame / length
    rest = nil
    decoder.reset()
    try source.seek(to: UInt64(max(packet - AudioTrackDecoder.preRoll, 0)), unless: isBrokenOff)
    nextFrame = Int64(clamping: source.number) * length
    firstWanted = frame
  }

  /// Decodes a packet.
  ///
  /// - Returns: whether there was one.
  private func decodeNext() throws(AudioDecodingError) -> Bool {
    let (packet, offset, blocks): (EncodedSample, Int, Int)
    if let rest {
      (packet, offset, blocks) = rest
    } else {
      guard let next = try source.next() else { return false }
      (packet, offset, blocks) = (next, 0, source.blocks(of: next))
    }
    if packet.descriptionIndex != descriptionIndex { try change(to: packet.descriptionIndex) }
    let number = source.number - 1
    let outcome = try source.withBytes(packet) { (bytes) throws(AACError) in
      do throws(AACError) {
        return try decoder.decode(bytes.extracting(offset...))
      } catch {
        throw error.located(packet: number)
      }
    }
    if case .concealed(let error) = outcome {
      concealedPackets += 1
      onFault?(error.located(packet: number))
    }
    let done = offset + decoder.consumedBytes
    rest = blocks > 1 && done < packet.payload.count ? (packet, done, blocks - 1) : nil
    nextFrame += Int64(decoder.frameLength)
    return true
  }

  /// Switches to a new configuration, which must produce the same PCM format.
  private func change(to index: Int) throws(AudioDecodingError) {
    let descriptions = source.stream?.track.descriptions ?? descriptions
    guard descriptions.indices.contains(index) else {
      throw .aac(AACError(.noDescription(index), packet: source.number - 1, file: source.file))
    }
    let next = try AudioTrackDecoder.decoder(descriptions[index], coreOnly: coreOnly, file: source.file)
    guard next.format == decoder.format, next.frameLength == decoder.frameLength else {
      let what = "a stream that changes its rate or channels"
      throw .aac(AACError(.notDecodable(what), packet: source.number - 1, file: source.file))
    }
    decoder = next
    descriptionIndex = index
  }
}
