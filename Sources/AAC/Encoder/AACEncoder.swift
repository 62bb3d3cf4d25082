public import MediaCore

/// Encodes PCM as AAC-LC, one packet for every 1024 frames, or as HE-AAC, one for every 2048.
///
/// ```swift
/// var wav = try PCMFileReader(path: "in.wav")
/// var encoder = try AACEncoder(format: wav.format, bitRate: 96_000)
/// while let sound = try wav.next() { for packet in try encoder.encode(sound) { try muxer.append(packet) } }
/// let ending = encoder.finish()
/// for packet in ending.packets { try muxer.append(packet) }
/// ```
///
/// A decoder's output begins with `priming` frames that are not in the input: the first packet's time is that of the
/// first sample, minus the priming. From there on packets are contiguous, whatever the times of later samples: a gap
/// between them is not filled. The last packet's duration is cut to the sound in it, so that durations add up to the
/// priming and the frames of the input. No input at all makes one packet, of priming alone.
///
/// Decoders of HE-AAC delay the sound by 962 frames more. By the convention of players, times do not count these, so
/// there may be one packet more than the durations fill, and its duration is 0.
///
/// The same input and options produce the same bytes, however the input is divided into buffers, and on any number of
/// threads. Samples are clipped 12 dB above full scale, infinite ones too; NaN counts as silence. `alteredSamples`
/// counts them.
///
/// Source: ISO/IEC 14496-3, subpart 4. How it works: `docs/encoding.md`.
public struct AACEncoder: ~Copyable {
  /// The result of `finish()`.
  public struct Ending: Sendable {
    /// The last packets; empty on further calls.
    public var packets: [EncodedSample]
    /// Frames of padding after the end of the sound that decoders produce from the last packets: 0 to 1023 for AAC-LC;
    /// 962 to 3009 for HE-AAC, or 0 if there was no sound.
    public var remainder: Int
  }

  /// How sound is coded.
  public enum Profile: Sendable, Hashable {
    /// AAC-LC: the whole spectrum.
    case lowComplexity
    /// HE-AAC: the lower part of the spectrum at half the sampling rate, and a description of the upper part (SBR). For
    /// low bit rates, of mono and stereo.
    case highEfficiency
    /// HE-AAC v2: one channel coded in this way, and a description of how left and right differ (PS), from which
    /// decoders make both. For the lowest bit rates of stereo.
    case highEfficiencyV2
  }

  /// The format of the input.
  public let format: AudioFormat
  /// What a decoder needs to know.
  public let configuration: AudioSpecificConfig
  /// Frames that decoders produce before the sound: those of one packet.
  public var priming: Int { frameLength }
  /// Frames per packet: 1024, or 2048 with HE-AAC.
  public let frameLength: Int
  /// How many samples were not encoded as they are, because they are not numbers, infinite, or more than 12 dB above
  /// full scale, summed over all channels; complete after `finish()`. Where it is not 0, what made the sound is
  /// probably broken.
  public private(set) var alteredSamples: Int64 = 0
  /// Identifier of the track that packets are labelled with.
  public var trackID: UInt32 = 1

  private var settings: Settings
  private let control: RateControl
  /// Made when it is first needed: a sound that is planned goes through others before.
  private(set) lazy var pipeline = settings.pipeline(control)
  private var isFinished = false
  /// The time of the first frame; `nil` before there is any.
  private var firstFrame: Int64?
  private var framesIn: Int64 = 0
  private var packetsOut: Int64 = 0
  /// The first of the sound, until there is enough of it to begin; `nil` from then on.
  private var beginning: [PCMBuffer]?
  /// How many frames of sound are enough to begin.
  private let enough: Int64
  /// Whether a sound that ends before that is planned as a whole.
  private let plansShortSounds: Bool

  /// An encoder at a bit rate.
  ///
  /// - Parameters:
  ///   - format: the format of the buffers. Rates: the twelve of AAC from 8000 to 96 000 Hz; layouts: mono, stereo,
  ///   3.0, 4.0, 5.0, 5.1, 6.1 and 7.1. HE-AAC takes mono and stereo, and v2 stereo, at rates whose half is a rate of
  ///   AAC.
  ///   - profile: how sound is coded.
  ///   - bitRate: bits per second, one of `bitRates(for:profile:)`; `nil` for `defaultBitRate(for:profile:)`.
  ///   - averagesBitRate: whether the rate need only be met on average, to half a percent over a minute or more:
  ///   difficult passages then take bits from simple ones minutes away. For files; a stream that is sent at a constant
  ///   rate needs `false`, which keeps to the decoder's buffer.
  ///   - signalling: how the configuration announces the layers of HE-AAC: by default explicitly, or
  ///   `.backwardCompatible` for decoders that do not know them and can play the core; `.none` leaves them to be found
  ///   in the packets.
  ///   - speed: how long the search for the best use of the bits may take.
  ///   - lowDelay: whether to look no further ahead than a packet needs, for people who talk to each other: a frame of
  ///   sound can be decoded 2048 frames after it went in instead of 3072. Attacks are then found too late for some
  ///   packets. Only for AAC-LC.
  ///   - plansShortSounds: whether a sound of up to a million samples in all channels, which is eleven seconds of
  ///   stereo at 48 kHz, is held until it ends, so that its bits go where they do the most good: strokes of drums and
  ///   other sounds that fade have much less noise. It is coded four times instead of once. Not for a low delay.
  ///   - threads: how many threads work at once: see `init(format:quality:speed:lowDelay:threads:)`.
  /// - Throws: `AACError.cannotEncode`, which says what is possible.
  public init(
    format: AudioFormat, profile: Profile = .lowComplexity, bitRate: Int? = nil, averagesBitRate: Bool = false,
    signalling: AudioSpecificConfig.ExtensionSignalling = .explicit, speed: Speed = .normal, lowDelay: Bool = false,
    plansShortSounds: Bool = false, threads: Int = 1
  ) throws(AACError) {
    try self.init(
      format: format, profile: profile, bitRate: bitRate, averagesBitRate: averagesBitRate, signalling: signalling,
      speed: speed, lowDelay: lowDelay, plansShortSounds: plansShortSounds && !lowDelay, waits: !lowDelay,
      threads: threads)
  }

  /// An encoder whose packets go between others that stay, or that are wanted as soon as they can be made.
  ///
  /// - Parameters:
  ///   - seam: where they go; `nil` for a stream of its own.
  ///   - waits: whether the first packet may wait for others to follow.
  /// - Throws: `AACError.cannotEncode`, which says what is possible.
  package init(
    format: AudioFormat, profile: Profile = .lowComplexity, bitRate: Int?, averagesBitRate: Bool = false,
    signalling: AudioSpecificConfig.ExtensionSignalling = .explicit, speed: Speed = .normal, lowDelay: Bool = false,
    plansShortSounds: Bool = false, seam: EncoderSeam? = nil, waits: Bool, threads: Int = 1
  ) throws(AACError) {
    let bitRate = bitRate ?? AACEncoder.defaultBitRate(for: format, profile: profile)
    let setup = try EncoderSetup(format, profile: profile, bitRate: bitRate, signalling: signalling)
    let range = AACEncoder.bitRates(for: format, profile: profile)
    guard range.contains(bitRate) else { throw AACError(.cannotEncode(.bitRate(bitRate, range))) }
    guard profile == .lowComplexity || !lowDelay else { throw AACError(.cannotEncode(.lowDelay)) }
    let (rate, channels) = (Double(setup.configuration.sampleRate), setup.configuration.channels)
    let channelRate = Double(bitRate) / Double(channels)
    let bandwidths =
      if profile == .lowComplexity {
        [EncoderSetup.bandwidth(bitsPerSecond: channelRate, sampleRate: format.sampleRate)]
      } else {
        setup.replication.map(\.crossover)
      }
    let control = RateControl(
      bitsPerFrame: Double(bitRate) * 1024 / rate, isAverage: averagesBitRate, channels: channels,
      linesInUse: 1024 * Double(channels) * Double(bandwidths[0]) * 2 / rate, waits: waits)
    let settings = Settings(
      format: format, setup: setup, tools: EncoderTools(setup, bandwidths: bandwidths), channelRate: channelRate,
      speed: speed, lowDelay: lowDelay, seam: seam, threads: threads)
    self.init(settings, control, plansShortSounds: plansShortSounds && control.canPlan)
  }

  /// An encoder at a constant quality: simple sounds take few bits, difficult ones many.
  ///
  /// - Parameters:
  ///   - format: the format of the buffers. Rates: the twelve of AAC from 8000 to 96 000 Hz; layouts: mono, stereo,
  ///   3.0, 4.0, 5.0, 5.1, 6.1 and 7.1.
  ///   - quality: 1, for speech, to 5, where hardly anybody hears a difference. At 1 and 2, and for one channel at 3,
  ///   bands of noise are sent as their energy alone, as they are at low bit rates.
  ///   - speed: how long the search for the best use of the bits may take: slow takes fewer bits for the same quality.
  ///   - lowDelay: whether to look no further ahead than a packet needs, for people who talk to each other: a frame of
  ///   sound can be decoded 2048 frames after it went in instead of 3072. Attacks are then found too late for some
  ///   packets.
  ///   - threads: how many threads work at once. The bytes do not depend on it. With one, packets come as soon as they
  ///   can; with more, up to 57 later, and the threads work on while the caller reads the next sound.
  /// - Throws: `AACError.cannotEncode`, which says what is possible.
  public init(
    format: AudioFormat, quality: Int, speed: Speed = .normal, lowDelay: Bool = false, threads: Int = 1
  ) throws(AACError) {
    let setup = try EncoderSetup(format)
    guard let (price, channelRate) = AACEncoder.qualities[quality] else {
      throw AACError(.cannotEncode(.quality(quality)))
    }
    let control = RateControl(price: price, channels: format.channels)
    let bandwidth = EncoderSetup.bandwidth(bitsPerSecond: channelRate, sampleRate: format.sampleRate)
    let settings = Settings(
      format: format, setup: setup, tools: EncoderTools(setup, bandwidths: [bandwidth]), channelRate: channelRate,
      speed: speed, lowDelay: lowDelay, seam: nil, threads: threads)
    self.init(settings, control, plansShortSounds: false)
  }

  /// An encoder's settings, apart from those that control its rate.
  private struct Settings {
    let format: AudioFormat
    let setup: EncoderSetup
    let tools: EncoderTools
    /// Bits per second of a channel: about so many, at a constant quality.
    let channelRate: Double
    let speed: Speed
    let lowDelay: Bool
    let seam: EncoderSeam?
    var threads: Int

    /// Frames of a packet.
    var frameLength: Int { setup.replication.isEmpty ? 1024 : SBRInput.frameLength }

    func pipeline(_ control: RateControl) -> FramePipeline {
      let analysis = FrameAnalysis(
        setup: setup, tools: tools, control: control, channelRate: channelRate, speed: speed, looksAhead: !lowDelay,
        seam: seam)
      return FramePipeline(
        analysis, FrameCoder(control: control), frameLength: frameLength,
        threads: threads.clamped(to: 1...AACEncoder.mostThreads))
    }
  }

  private init(_ settings: Settings, _ control: RateControl, plansShortSounds: Bool) {
    (self.settings, self.control) = (settings, control)
    format = settings.format
    configuration = settings.setup.configuration
    frameLength = settings.frameLength
    self.plansShortSounds = plansShortSounds
    let sure = Int64(RateControl.surePackets * frameLength)
    enough = plansShortSounds ? max(sure, Int64(AACEncoder.mostPlanned / format.channels)) : sure
    beginning = control.waits ? [] : nil
  }

  /// More would have nothing to do.
  private static let mostThreads = FrameSchedule.places

  /// The price of a bit at each quality, and the bits per second of a channel that sounds of several kinds take in the
  /// mean: what helps at a rate helps at the quality that takes about as much.
  private static let qualities: [Int: (Double, Double)] = [
    1: (0.25, 22_000), 2: (0.085, 32_000), 3: (0.03, 48_000), 4: (0.01, 66_000), 5: (0.0036, 90_000),
  ]

  /// Encodes the frames of a sample, of any length.
  ///
  /// Packet times begin at the first sample's time; the times of later samples are ignored.
  ///
  /// - Returns: as for a buffer.
  /// - Throws: as for a buffer.
  public mutating func encode(_ sample: PCMSample) throws(AACError) -> [EncodedSample] {
    try encode(sample.payload, at: sample.firstFrame)
  }

  /// Encodes the frames of a buffer, of any length, which follow the previous ones; the first ones are at time 0.
  ///
  /// - Returns: the packets completed so far. At a bit rate the first ones come once the sound of ten packets is there,
  ///   a quarter of a second of AAC-LC, so that it is known whether they may borrow bits from later ones; at a constant
  ///   quality, that of two; for a low delay, of one. A short sound that is planned gives none until it ends.
  /// - Throws: `AACError`: `.cannotEncode(.format)` for a buffer of another rate or number of channels, which changes
  ///   nothing; `.finished` after `finish()`; `.cancelled` if the task is cancelled while a long buffer is encoded,
  ///   which ends the encoder as well: part of the buffer is lost.
  public mutating func encode(_ buffer: PCMBuffer) throws(AACError) -> [EncodedSample] {
    try encode(buffer, at: 0)
  }

  private mutating func encode(_ buffer: PCMBuffer, at frame: Int64) throws(AACError) -> [EncodedSample] {
    if isFinished { throw AACError(.finished) }
    guard buffer.format.sampleRate == format.sampleRate, buffer.format.channels == format.channels else {
      throw AACError(.cannotEncode(.format(buffer.format)))
    }
    if firstFrame == nil { firstFrame = frame }
    framesIn += Int64(buffer.frameCount)
    var buffers = [buffer]
    if beginning != nil {
      if buffer.frameCount > 0 { beginning?.append(buffer) }
      guard framesIn >= enough else { return [] }
      buffers = beginning ?? []
      beginning = nil
    }
    var packets: [EncodedSample] = []
    var left = buffers.reduce(0) { $0 + Int64($1.frameCount) }
    for buffer in buffers {
      var at = 0
      while at < buffer.frameCount {
        // Never in a short buffer: sound captured while a task is cancelled is part of the recording.
        if at > 0, Cancellation.isRequested {
          isFinished = true
          framesIn -= left
          throw AACError(.cancelled)
        }
        let end = min(buffer.frameCount, at + AACEncoder.packetsAtOnce * frameLength)
        take(at..<end, of: buffer, to: &packets)
        left -= Int64(end - at)
        at = end
      }
    }
    return packets
  }

  /// Encodes frames of a buffer as far as they complete packets.
  private mutating func take(_ frames: Range<Int>, of buffer: PCMBuffer, to packets: inout [EncodedSample]) {
    var at = frames.lowerBound
    while at < frames.upperBound {
      let part = at..<min(frames.upperBound, at + pipeline.room)
      for (input, channel) in pipeline.inputs { alteredSamples += input.append(part, ofChannel: channel, of: buffer) }
      at = part.upperBound
      if pipeline.room == 0 { append(pipeline.advance(), to: &packets) }
    }
  }

  /// Packets whose sound is taken from one buffer before checking whether the task is cancelled: a second and a half.
  private static let packetsAtOnce = 64

  /// Encodes the rest. Nothing can be encoded after it; a second call returns the same remainder and no packets.
  public mutating func finish() -> Ending {
    isFinished = true
    let (length, delay) = (Int64(frameLength), Int64(frameLength == 1024 ? 0 : SBRInput.decoderDelay))
    let count = framesIn == 0 ? 1 : (framesIn + delay + length - 1) / length + 1
    var packets: [EncodedSample] = []
    if let beginning {
      // The sound is so short that all of it is here: its packets share the bits from the first one on.
      if count < AACEncoder.worthThreads { settings.threads = 1 }
      if plansShortSounds, framesIn > 0 { plan(beginning) }
      expect(packets: count)
      for buffer in beginning { take(0..<buffer.frameCount, of: buffer, to: &packets) }
    }
    beginning = nil
    append(pipeline.drain(), to: &packets)
    expect(packets: count - packetsOut)
    pipeline.isOver = true
    while packetsOut < count {
      for (input, _) in pipeline.inputs {
        input.end.update(repeating: 0, count: input.room)
        input.advance(input.room)
      }
      append(pipeline.advance(), to: &packets)
    }
    let end = (firstFrame ?? 0).saturatingAdd(framesIn)
    for index in packets.indices {
      // A packet that only flushes a decoder's filters begins where the sound ends: muxers know durations by times.
      let time = min(packets[index].timing.decodeTime, end)
      (packets[index].timing.decodeTime, packets[index].timing.presentationTime) = (time, time)
      packets[index].timing.duration = min(end - time, length)
    }
    return Ending(packets: packets, remainder: Int((count - 1) * length - framesIn))
  }

  /// With fewer packets than these, one thread is done before others would be set up.
  private static let worthThreads = 48
  /// How often a sound is coded to see what its packets take.
  private static let trials = 3
  /// The most samples of a sound that is planned as a whole, of all channels.
  private static let mostPlanned = 1 << 20

  /// Finds the price at which all packets together take the bits they may, and sets the pipeline to code at it.
  private mutating func plan(_ sound: [PCMBuffer]) {
    var trials = control.trials(frames: Double(framesIn) / Double(frameLength))
    var price = control.guess
    var plan: PricePlan
    repeat {
      trials.add(price: price, bits: AACEncoder.bits(of: sound, settings, control.following(PricePlan(trial: price))))
      plan = control.plan(by: trials)
      price = plan.price(by: trials)
    } while trials.count < AACEncoder.trials
    pipeline = settings.pipeline(control.following(plan))
  }

  /// The bits of the packets that a sound becomes.
  private static func bits(of sound: [PCMBuffer], _ settings: Settings, _ control: RateControl) -> [Int] {
    var encoder = AACEncoder(settings, control, plansShortSounds: false)
    encoder.beginning = nil
    encoder.framesIn = sound.reduce(0) { $0 + Int64($1.frameCount) }
    var packets: [EncodedSample] = []
    for buffer in sound { encoder.take(0..<buffer.frameCount, of: buffer, to: &packets) }
    packets += encoder.finish().packets
    return packets.map { 8 * $0.payload.count }
  }

  /// Tells the pipeline how many packets are left, and how much sound.
  private mutating func expect(packets: Int64) {
    // The first packet is not part of the sound, and costs nothing of its own.
    let frames = Double(framesIn) / Double(frameLength) - Double(max(packetsOut - 1, 0))
    pipeline.expect(packets: Int(packets), frames: frames)
  }

  private mutating func append(_ payloads: [[UInt8]], to packets: inout [EncodedSample]) {
    for bytes in payloads {
      let time = (firstFrame ?? 0).saturatingAdd(packetsOut * Int64(frameLength) - Int64(priming))
      packetsOut += 1
      let timing = SampleTiming(
        decodeTime: time, presentationTime: time, duration: Int64(frameLength), timescale: UInt32(format.sampleRate))
      packets.append(EncodedSample(trackID: trackID, timing: timing, isSync: true, payload: .bytes(bytes[...])))
    }
  }
}
