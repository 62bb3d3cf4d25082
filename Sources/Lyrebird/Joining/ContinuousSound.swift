internal import AAC
internal import MP4
internal import MediaCore

/// AAC of several parts that is to continue without a gap in its packets.
///
/// A packet is 1024 frames of a grid that begins with the encoder's priming. The sound of a part begins anywhere in
/// the output, so its packets fit the output's grid only by chance: by one in 1024. But the grid of the output is
/// free, as its priming is: it is chosen so that most of the sound fits. Of these parts only the packets at the seams
/// have to be encoded anew, of the others all. Joining a long talk, an intro and an outro thus keeps the talk.
struct ContinuousSound {
  /// The sound of one part; `nil` where a part has none, which is silence.
  let parts: [SoundPart?]
  /// What all parts decode to.
  let format: AudioFormat
  /// The configuration that packets need to be kept.
  let configuration: AudioSpecificConfig
  /// The track of the first part that has one.
  let track: Track

  /// Frames of a packet.
  static let packet: Int64 = 1024

  var timescale: UInt32 { UInt32(clamping: format.sampleRate) }

  /// How long a part's sound is.
  func length(of part: Int) -> MediaTime? {
    parts[part].map { MediaTime(value: $0.delay.saturatingAdd($0.frames), timescale: timescale) }
  }

  /// Opens the tracks of the parts.
  ///
  /// - Parameters:
  ///   - row: the tracks.
  ///   - movies: the parts.
  ///   - delays: how long nothing is heard before the sound of each part.
  /// - Returns: `nil` if they are not all AAC-LC of one rate and layout that can be encoded, or if sound is missing
  ///   between packets.
  /// - Throws: `AudioDecodingError`, `MP4Error`.
  static func open(_ row: JoinRow, _ movies: [MP4Demuxer], delays: [MediaTime]) throws -> ContinuousSound? {
    var parts: [SoundPart?] = []
    var first: (decoder: AACDecoder, track: Track)?
    for (index, movie) in movies.enumerated() {
      guard let track = row.tracks[index] else {
        parts.append(nil)
        continue
      }
      guard track.descriptions.allSatisfy({ $0.codec == "mp4a" && $0.protection == nil }),
        let config = AudioSpecificConfig.core(of: track, in: movie),
        let decoder = try? AACDecoder(configuration: config)
      else { return nil }
      if let first, first.decoder.format != decoder.format { return nil }
      if first == nil { first = (decoder, track) }
      guard let part = try SoundPart(movie, track, config, rate: decoder.format.sampleRate, delay: delays[index]) else {
        return nil
      }
      parts.append(part)
    }
    guard let first, let encoder = try? AACEncoder(format: first.decoder.format) else { return nil }
    return ContinuousSound(
      parts: parts, format: first.decoder.format, configuration: encoder.configuration, track: first.track)
  }

  /// Whether it is less than an hour of silence that has to be encoded: a damaged file may claim to begin in a century.
  ///
  /// - Parameter duration: how long the output is.
  func canFill(_ duration: MediaTime) -> Bool {
    let frames = parts.reduce(Int64(0)) { $0.saturatingAdd($1?.frames ?? 0) }
    let silence = duration.since(.zero, in: timescale).value.saturatingSubtract(frames)
    return silence < 3600 * Int64(timescale)
  }

  /// The priming of the output, in frames, and whether each part fits the grid that it makes.
  ///
  /// - Parameter starts: where each part begins in the output.
  func grid(_ starts: [Int64]) -> (priming: Int64, fits: [Bool]) {
    let packet = ContinuousSound.packet
    let phases = zip(parts, starts).map { part, start in
      part.flatMap { $0.canKeep(configuration) ? $0.phase(at: start) : nil }
    }
    var frames: [Int64: Int64] = [:]
    for (part, phase) in zip(parts, phases) {
      if let part, let phase { frames[phase, default: 0] += part.frames }
    }
    let best = frames.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    let fits = phases.map { $0 != nil && $0 == best }
    // If the first part is kept from its first packet on, its own priming can stay.
    if fits[0], let part = parts[0], part.delay == 0 { return (part.first, fits) }
    return (packet + (best ?? 0), fits)
  }
}

/// The AAC of one part.
struct SoundPart {
  let movie: MP4Demuxer
  let track: Track
  let configuration: AudioSpecificConfig
  /// Frames of silence before it.
  let delay: Int64
  /// The first frame that is heard, counted from that of the first packet.
  let first: Int64
  /// Frames that are heard.
  let frames: Int64
  /// Packets of the track.
  let packets: Int64
  /// Whether what is heard is in one piece.
  private let isWhole: Bool

  /// - Returns: `nil` if sound is missing between packets, or between edits.
  init?(_ movie: MP4Demuxer, _ track: Track, _ config: AudioSpecificConfig, rate: Int, delay: MediaTime) throws {
    (self.movie, self.track, configuration) = (movie, track, config)
    guard !track.edits.drop(while: { $0.mediaTime == nil }).contains(where: { $0.mediaTime == nil }),
      let gap = try SoundPart.gapAfterFirst(movie, track, rate: UInt32(clamping: rate))
    else { return nil }
    let trim = try AudioTrackDecoder(movie, track: track).trim
    self.delay = delay.since(.zero, in: UInt32(clamping: rate)).value.saturatingAdd(gap)
    // Each has a byte at least, whatever the index claims.
    packets = Int64(min(track.sampleCount, movie.reader.size, 1 << 40))
    first = trim.pieces.first?.lowerBound ?? 0
    let there = max(packets * ContinuousSound.packet - first, 0)
    frames = min(trim.frameCount ?? there, there)
    isWhole = trim.pieces.count == 1
  }

  /// How many frames are missing after the first packet, as ffmpeg writes fragments whose sound begins late; `nil` if
  /// any are missing elsewhere. Clocks of recorders drift, which is no gap: less than half a packet does not count.
  private static func gapAfterFirst(_ movie: MP4Demuxer, _ track: Track, rate: UInt32) throws(MP4Error) -> Int64? {
    let most = ContinuousSound.packet / 2
    var samples = movie.samples(of: track)
    var (gap, end): (Int64, Int64?) = (0, nil)
    while let record = try samples.nextRecord() {
      let time = MediaTime(value: record.decodeTime, timescale: track.timescale).since(.zero, in: rate).value
      if let end, time.saturatingSubtract(end) > most {
        guard record.number == 1 else { return nil }
        gap = time.saturatingSubtract(end)
      }
      end = time.saturatingAdd(ContinuousSound.packet)
    }
    return gap
  }

  /// Whether its packets can stand between those of a configuration.
  func canKeep(_ other: AudioSpecificConfig) -> Bool {
    // A shorter part would be re-encoded at both ends, with little between them.
    isWhole && isLike(other) && frames >= 16 * ContinuousSound.packet
  }

  /// Whether its description is the same as another configuration's.
  func isLike(_ other: AudioSpecificConfig) -> Bool {
    track.descriptions.count == 1 && configuration.objectType == other.objectType
      && configuration.sampleRate == other.sampleRate && configuration.programConfig == nil
      && configuration.channelConfiguration == other.channelConfiguration
  }

  /// The priming of the output, below 1024, with which its packets fit.
  func phase(at start: Int64) -> Int64 {
    let packet = ContinuousSound.packet
    let phase = first.saturatingSubtract(start).saturatingSubtract(delay) % packet
    return phase < 0 ? phase + packet : phase
  }

  /// Bits per second.
  func bitRate(_ rate: Int) throws(MP4Error) -> Int {
    let bits = 8 * Double(try movie.byteCount(of: track))
    return Int(min(bits * Double(rate) / Double(max(packets, 1) * ContinuousSound.packet), 1e9))
  }
}

extension AudioSpecificConfig {
  /// The configuration of a track of plain AAC-LC; `nil` if it is anything else, or its packets show more.
  fileprivate static func core(of track: Track, in movie: MP4Demuxer) -> AudioSpecificConfig? {
    var samples = movie.samples(of: track)
    let description = track.descriptions.first?.settled { try samples.next() }
    guard let description, let config = try? AudioSpecificConfig(description), config.objectType == 2,
      config.hasSBR != true, (config.frameLength ?? 1024) == 1024
    else { return nil }
    return config
  }
}
