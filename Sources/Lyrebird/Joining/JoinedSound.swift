internal import AAC
internal import MP4
internal import MediaCore

/// AAC of several parts as one continuous track: see `ContinuousSound`.
///
/// Packet `k` of the output decodes to the frames from `1024 k - priming` on, and its window reaches 1024 frames
/// further. A stretch of packets that are encoded anew gets the sound of both sides as far as its windows reach, so
/// that it is the same sound that the windows of kept packets overlap with: their aliasing cancels.
final class JoinedSound: JoinedTrack {
  let description: MuxerTrack
  private(set) var keptPackets: UInt64 = 0
  private(set) var encodedPackets: UInt64 = 0
  var hasEdits: Bool { false }
  var hasOpenSeams: Bool { false }

  /// Packets of the output in their order.
  private enum Stretch {
    /// Packets of a part, by their numbers in it.
    case kept(SoundPart, Range<Int64>)
    /// Packets encoded anew, by their numbers in the output, between others with these windows.
    case encoded(Range<Int64>, before: PacketWindows?, after: PacketWindows?)
  }

  private let sound: ContinuousSound
  private let priming: Int64
  /// Frames of the output.
  private let length: Int64
  private let pcm: JoinedPCM
  private var stretches: ArraySlice<Stretch>
  /// The number of the next packet.
  private var number: Int64 = 0
  private var samples: SampleReader?
  private var encoding: SeamEncoding?
  private let bitRate: Int

  /// - Parameter isQuickTime: whether the output is QuickTime.
  init(_ sound: ContinuousSound, starts: [MediaTime], duration: MediaTime, isQuickTime: Bool) throws {
    self.sound = sound
    let frames = starts.map { $0.since(.zero, in: sound.timescale).value }
    length = duration.since(.zero, in: sound.timescale).value
    let (priming, fits) = sound.grid(frames)
    self.priming = priming
    var rate = 0
    for part in sound.parts { rate = max(rate, try part?.bitRate(sound.format.sampleRate) ?? 0) }
    let rates = AACEncoder.bitRates(for: sound.format)
    bitRate = min(max(rate, rates.lowerBound), rates.upperBound)
    pcm = JoinedPCM(sound, starts: frames)
    let grid = OutputPackets(
      priming: priming, length: length, decoder: try AACDecoder(configuration: sound.configuration))
    var stretches: [Stretch] = []
    var (next, before): (Int64, PacketWindows?) = (0, nil)
    for index in sound.parts.indices where fits[index] {
      guard let part = sound.parts[index] else { continue }
      let start = frames[index].saturatingAdd(part.delay)
      guard let kept = try grid.kept(of: part, at: start) else { continue }
      if kept.first > next { stretches.append(.encoded(next..<kept.first, before: before, after: kept.before)) }
      stretches.append(.kept(part, kept.packets))
      (next, before) = (kept.first + Int64(kept.packets.count), kept.last)
    }
    if grid.count > next { stretches.append(.encoded(next..<grid.count, before: before, after: nil)) }
    self.stretches = stretches[...]
    var track = sound.track
    (track.timescale, track.references, track.sampleCount) = (sound.timescale, [:], 0)
    track.descriptions = [
      try JoinedSound.description(stretches, sound, bitRate: bitRate, isQuickTime: isQuickTime)
    ]
    var muxed = MuxerTrack(track)
    if let first = sound.parts.lazy.compactMap({ $0 }).first {
      muxed.keepBoxes(of: first.track, in: first.movie, isQuickTime: isQuickTime)
    }
    (muxed.edits, muxed.priming) = (nil, priming)
    description = muxed
  }

  /// The description of the first part whose packets are kept, or else of the encoder's. QuickTime wraps the
  /// configuration in boxes of its own, so there that of any part that means the same is taken.
  private static func description(
    _ stretches: [Stretch], _ sound: ContinuousSound, bitRate: Int, isQuickTime: Bool
  ) throws -> SampleDescription {
    for case .kept(let part, _) in stretches { return part.track.descriptions[0] }
    if isQuickTime, let part = sound.parts.lazy.compactMap({ $0 }).first(where: { $0.isLike(sound.configuration) }) {
      return part.track.descriptions[0]
    }
    return try SampleDescription(AACEncoder(format: sound.format, bitRate: bitRate), averageBitRate: bitRate)
  }

  func next() throws -> EncodedSample? {
    while let stretch = stretches.first {
      if let payload = try nextPayload(of: stretch) { return packet(payload) }
      (samples, encoding) = (nil, nil)
      stretches.removeFirst()
    }
    return nil
  }

  private func nextPayload(of stretch: Stretch) throws -> MediaData? {
    switch stretch {
    case .kept(let part, let packets):
      if samples == nil {
        samples = part.movie.samples(of: part.track)
        try samples?.seek(toSample: UInt64(packets.lowerBound))
      }
      guard let record = try samples?.nextRecord(), record.number < UInt64(packets.upperBound) else { return nil }
      keptPackets += 1
      return samples?.payload(of: record)
    case .encoded(let packets, let before, let after):
      if encoding == nil {
        // A seam is only a few packets: twice the bit rate costs little, and makes up for encoding them a second time.
        let isSeam = packets.count < 16
        let rates = AACEncoder.bitRates(for: sound.format)
        encoding = try SeamEncoding(
          packets, pcm, priming: priming, bitRate: isSeam ? min(2 * bitRate, rates.upperBound) : bitRate,
          before: before, after: after)
      }
      guard let payload = try encoding?.next() else { return nil }
      encodedPackets += 1
      return payload
    }
  }

  /// A packet at its time; the last one ends with the sound.
  private func packet(_ payload: MediaData) -> EncodedSample {
    let time = number * ContinuousSound.packet - priming
    number += 1
    let timing = SampleTiming(
      decodeTime: time, presentationTime: time, duration: min(ContinuousSound.packet, max(length - time, 0)),
      timescale: sound.timescale)
    return EncodedSample(trackID: 0, timing: timing, isSync: true, payload: payload)
  }
}

/// Which packets of the parts go where in the output.
private struct OutputPackets {
  let priming: Int64
  let length: Int64
  let decoder: AACDecoder

  /// Packets of the output.
  var count: Int64 { max((length + priming + ContinuousSound.packet - 1) / ContinuousSound.packet, 1) }

  /// Packets of a part that are kept.
  struct Kept {
    /// By their numbers in the part.
    var packets: Range<Int64>
    /// The number of the first of them in the output.
    var first: Int64
    /// The windows of the packet before them in the part, and of the last of them.
    var before: PacketWindows?
    var last: PacketWindows?
  }

  /// How many packets are tried, to find one whose windows a new one can overlap with.
  private static let attempts: Int64 = 16

  /// - Parameter start: the frame of the output with which the part begins.
  /// - Returns: `nil` if there are too few, or if they cannot stand beside others.
  func kept(of part: SoundPart, at start: Int64) throws -> Kept? {
    let packet = ContinuousSound.packet
    // From a packet's number in the part to its number in the output.
    let shift = (start - part.first + priming) / packet
    let end = part.first + part.frames
    var kept = Kept(packets: 0..<0, first: 0)
    var (first, last) = ((part.first + packet - 1) / packet, min(end / packet - 2, part.packets - 1))
    if shift == 0, start == 0 {
      first = 0
    } else {
      let candidates = first..<min(first + OutputPackets.attempts, last)
      guard
        let found = try candidates.first(where: { number in
          kept.before = number > 0 ? try windows(of: part, number - 1) : nil
          return kept.before?.endsLong ?? false
        })
      else { return nil }
      first = found
    }
    if start + part.frames == length, count - 1 - shift < part.packets {
      last = count - 1 - shift
    } else {
      let candidates = max(last - OutputPackets.attempts, first)..<max(last, first)
      guard
        let found = try candidates.reversed().first(where: { number in
          kept.last = try windows(of: part, number)
          return kept.last?.endsLong ?? false
        })
      else { return nil }
      last = found
    }
    guard last - first >= 4 else { return nil }
    kept.packets = first..<(last + 1)
    kept.first = first + shift
    return kept
  }

  private func windows(of part: SoundPart, _ number: Int64) throws -> PacketWindows? {
    var samples = part.movie.samples(of: part.track)
    try samples.seek(toSample: UInt64(number))
    guard let sample = try samples.next() else { return nil }
    do { return decoder.windows(of: Array(try sample.payload.prefix(AACDecoder.maximumPacket).load())) } catch {
      throw MP4Error(.source(error), file: error.name)
    }
  }
}

/// Encodes a stretch of packets.
private final class SeamEncoding {
  private var encoder: AACEncoder
  private let pcm: JoinedPCM
  private let format: AudioFormat
  /// The next frame that the encoder gets.
  private var frame: Int64
  /// Packets that are still to be thrown away.
  private var skipped: Int
  /// Packets that are still wanted.
  private var wanted: Int
  private var ready: ArraySlice<EncodedSample> = []

  /// Packets before the first that is used, for the encoder to know what the sound is like.
  private static let warmUp = 2

  init(
    _ packets: Range<Int64>, _ pcm: JoinedPCM, priming: Int64, bitRate: Int, before: PacketWindows?,
    after: PacketWindows?
  ) throws(AACError) {
    // The encoder's first packet is centred on the first frame that it gets.
    let first = SeamEncoding.warmUp + 1
    let seam = EncoderSeam(
      first: first, end: after == nil ? nil : first + packets.count, before: before, after: after)
    (self.pcm, format) = (pcm, pcm.format)
    encoder = try AACEncoder(format: pcm.format, bitRate: bitRate, seam: seam, waits: false)
    frame = (packets.lowerBound - Int64(SeamEncoding.warmUp)) * ContinuousSound.packet - priming
    (skipped, wanted) = (first, packets.count)
  }

  func next() throws -> MediaData? {
    guard wanted > 0 else { return nil }
    while true {
      let dropped = min(skipped, ready.count)
      ready.removeFirst(dropped)
      skipped -= dropped
      if let packet = ready.popFirst() {
        wanted -= 1
        return packet.payload
      }
      let sound = try pcm.read(from: frame, count: SeamEncoding.block)
      frame += Int64(SeamEncoding.block)
      ready += try encoder.encode(
        PCMBuffer(sound, sampleRate: format.sampleRate, layout: format.layout))[...]
    }
  }

  /// Frames encoded at once.
  private static let block = 4096
}
