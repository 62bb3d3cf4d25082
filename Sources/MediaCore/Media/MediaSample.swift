/// A sample of a track: its data, when it is decoded and shown, and which of the track's descriptions applies.
///
/// Demuxers, ADTS readers and encoders deliver such samples, muxers, ADTS writers and decoders take their payloads, all of
/// them as `EncodedSample`. Sound that is decoded has no track any more and flows as `PCMBuffer`: so the compiler keeps PCM
/// out of a muxer and packets out of a loudspeaker.
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

/// When a sample is decoded and shown, in ticks of its track's timescale, edit lists not applied.
///
/// Pictures that refer to later ones are stored after them, so there are two orders: decode times never go back,
/// presentation times may. Audio has one order, and both times are the same.
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
