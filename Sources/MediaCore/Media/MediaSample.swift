/// A sample of a track: its data, when it is decoded and shown, and which of the track's descriptions applies.
///
/// Every stage takes or produces these. Demuxers, ADTS readers and encoders produce packets; muxers, ADTS writers and
/// decoders take them: `EncodedSample`. Capture, decoders and WAVE readers produce stretches of sound; encoders,
/// renderers and WAVE writers take them: `PCMSample`. The payload is part of the type, so the compiler keeps PCM out of
/// a muxer and packets out of a loudspeaker.
public struct MediaSample<Payload: Sendable>: Sendable {
  /// Identifier of the track it belongs to.
  public var trackID: UInt32
  /// When it is decoded and shown, and how long it lasts.
  public var timing: SampleTiming
  /// Whether decoding can begin here: an IDR picture, every packet of AAC.
  public var isSync: Bool
  /// Which of the track's sample descriptions applies, counted from 0.
  public var descriptionIndex: Int
  /// The data.
  public var payload: Payload

  /// A sample with all its parts.
  @inlinable
  public init(trackID: UInt32, timing: SampleTiming, isSync: Bool, descriptionIndex: Int = 0, payload: Payload) {
    self.trackID = trackID
    self.timing = timing
    self.isSync = isSync
    self.descriptionIndex = descriptionIndex
    self.payload = payload
  }
}

/// A sample of compressed media: what demuxers deliver and muxers take.
public typealias EncodedSample = MediaSample<MediaData>

/// A stretch of PCM and its place in time: what capture and decoders deliver, and encoders and renderers take.
///
/// Its timing counts frames: both times are the number of the first frame, the duration is the number of frames, and
/// the timescale is the sampling rate. The stage that produces the sample defines where counting starts. If a sample
/// begins later than the one before it ended, the frames between them are missing.
public typealias PCMSample = MediaSample<PCMBuffer>

extension MediaSample where Payload == PCMBuffer {
  /// A stretch of PCM.
  ///
  /// - Parameters:
  ///   - buffer: the frames.
  ///   - frame: number of the first of them.
  ///   - trackID: identifier of the track that it belongs to.
  public init(_ buffer: PCMBuffer, at frame: Int64 = 0, trackID: UInt32 = 1) {
    let timing = SampleTiming(
      decodeTime: frame, presentationTime: frame, duration: Int64(buffer.frameCount),
      timescale: UInt32(clamping: buffer.format.sampleRate))
    self.init(trackID: trackID, timing: timing, isSync: true, payload: buffer)
  }

  /// Number of its first frame, whatever its timing counts in: its presentation time at the sampling rate of the
  /// payload.
  package var firstFrame: Int64 {
    let rate = UInt32(clamping: payload.format.sampleRate)
    guard timing.timescale != rate else { return timing.presentationTime }
    let time = MediaTime(value: timing.presentationTime, timescale: timing.timescale)
    return time.converted(to: rate)?.value ?? (timing.presentationTime < 0 ? .min : .max)
  }

  /// Number of the frame after its last one.
  package var endFrame: Int64 { firstFrame.saturatingAdd(Int64(payload.frameCount)) }
}

/// When a sample is decoded and shown, in ticks of its track's timescale, edit lists not applied.
///
/// Video frames that refer to later ones are stored after them, so there are two orders: decode times never go back,
/// presentation times may. Audio has one order, and both times are the same. For PCM the ticks are frames.
public struct SampleTiming: Sendable, Hashable {
  /// When it is decoded.
  public var decodeTime: Int64
  /// When it is shown.
  public var presentationTime: Int64
  /// How long it lasts. Negative only in damaged files.
  public var duration: Int64
  /// Ticks a second, never 0.
  public var timescale: UInt32

  /// Timing from its parts; a timescale of 0 is taken as 1.
  @inlinable
  public init(decodeTime: Int64, presentationTime: Int64, duration: Int64, timescale: UInt32) {
    self.decodeTime = decodeTime
    self.presentationTime = presentationTime
    self.duration = duration
    self.timescale = timescale == 0 ? 1 : timescale
  }
}
