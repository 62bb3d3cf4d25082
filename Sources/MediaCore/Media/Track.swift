/// One track of a movie: what it carries and how it is to be shown.
public struct Track: Sendable, Identifiable {
  /// Identifier within the file. If several tracks of a damaged file share one, all but the first get a free one, so
  /// that they can be told apart.
  public var id: UInt32
  /// What the track carries.
  public var kind: Kind
  /// The file's own word for what the track carries, which tells more kinds apart: `soun`, `vide`, `sbtl`.
  public var handler: FourCC
  /// Ticks a second of its samples' times, never 0.
  public var timescale: UInt32
  /// Sum of the samples' durations: what the media lasts, edits not applied.
  public var mediaDuration: MediaTime
  /// What the track lasts in the presentation, edits applied.
  public var duration: MediaTime
  /// How the presentation is cut from the media; empty: all of it, from the start.
  public var edits: [Edit]
  /// The number of samples.
  public var sampleCount: UInt64
  /// What the samples are; nearly always one, several where the coding changes partway.
  public var descriptions: [SampleDescription]
  /// How video frames are placed on the screen.
  public var transform: Transform
  /// Width and height that the track asks to be shown at, in pixels, before the transform.
  public var size: Size
  /// Language: ISO 639-2/T (`eng`) or a BCP 47 tag; `und` if not stated.
  public var language: String
  /// The name given to the track by its author.
  public var name: String?
  /// Whether it takes part in the presentation by default.
  public var isEnabled: Bool
  /// Tracks of the same group are alternatives, of which a player takes one: the sound in several languages. 0 for none.
  public var alternateGroup: Int16
  /// Tracks that this one refers to, by the kind of reference: `chap`, `tmcd`, `auxl`.
  public var references: [FourCC: [UInt32]]

  /// What a track carries, from the handler in the file.
  public enum Kind: Sendable, Hashable {
    /// Sound.
    case audio
    /// Pictures.
    case video
    /// Subtitles, captions, and the titles of chapters.
    case text
    /// Time codes of the pictures.
    case timecode
    /// Timed metadata, such as positions or events.
    case metadata
    /// Instructions for a server on how to send another track in packets.
    case hint
    /// Anything else, by its handler type.
    case other(FourCC)

    /// The usual handler type for the kind.
    public var handler: FourCC {
      switch self {
      case .audio: "soun"
      case .video: "vide"
      case .text: "text"
      case .timecode: "tmcd"
      case .metadata: "meta"
      case .hint: "hint"
      case .other(let handler): handler
      }
    }
  }

  /// Width and height in pixels.
  public struct Size: Sendable, Hashable {
    /// Pixels across.
    public var width: Double
    /// Pixels down.
    public var height: Double

    /// A size from its sides.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// A track without samples or edits, and with defaults for the rest.
  public init(id: UInt32, kind: Kind, timescale: UInt32) {
    self.id = id
    self.kind = kind
    handler = kind.handler
    self.timescale = timescale == 0 ? 1 : timescale
    mediaDuration = MediaTime(value: 0, timescale: self.timescale)
    duration = mediaDuration
    edits = []
    sampleCount = 0
    descriptions = []
    transform = .identity
    size = Size(width: 0, height: 0)
    language = "und"
    isEnabled = true
    alternateGroup = 0
    references = [:]
  }

  /// The first description's audio format, if it is audio.
  public var audioFormat: AudioTrackFormat? {
    if case .audio(let format)? = descriptions.first?.format { format } else { nil }
  }

  /// The first description's video format, if it is video.
  public var videoFormat: VideoTrackFormat? {
    if case .video(let format)? = descriptions.first?.format { format } else { nil }
  }

  /// The size that a viewer sees: the track's, turned as the transform says.
  public var displaySize: Size {
    transform.size(of: size)
  }
}

/// One piece of a presentation: a stretch of the media, or nothing for a while.
public struct Edit: Sendable, Hashable {
  /// How long the piece lasts, in the movie's timescale.
  public var duration: MediaTime
  /// Where in the media it starts, in the track's timescale; `nil` for an empty edit, which shows nothing.
  public var mediaTime: MediaTime?
  /// Speed; 1 is normal, 0 freezes one frame. Files hold it in 16.16 fixed point: from -32 768 to just below 32 768.
  public var rate: Double

  /// An edit from its parts.
  public init(duration: MediaTime, mediaTime: MediaTime?, rate: Double = 1) {
    self.duration = duration
    self.mediaTime = mediaTime
    self.rate = rate
  }
}

/// A 3 by 3 matrix as movies carry it: a, b, c, d, x, y in 16.16 fixed point, u, v, w in 2.30.
///
/// Stored by rows: `a b u`, `c d v`, `x y w`. Source: ISO/IEC 14496-12, 8.3.2.
public struct Transform: Sendable, Hashable {
  /// The nine numbers, row after row. Setting any other count of them gives the identity.
  public var values: [Int32] {
    didSet { if values.count != 9 { values = Transform.identityValues } }
  }

  /// A transform from its nine numbers; any other count gives the identity.
  public init(_ values: [Int32]) {
    self.values = values.count == 9 ? values : Transform.identityValues
  }

  private static let identityValues: [Int32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]

  /// Shows frames as they are.
  public static let identity = Transform(identityValues)

  /// Clockwise rotation in degrees: 0, 90, 180 or 270. `nil` if mirrored or skewed; scaling and translation are
  /// ignored.
  public var rotation: Int? {
    switch (values[0].signum(), values[1].signum(), values[3].signum(), values[4].signum()) {
    case (1, 0, 0, 1): 0
    case (0, 1, -1, 0): 90
    case (-1, 0, 0, -1): 180
    case (0, -1, 1, 0): 270
    default: nil
    }
  }

  /// The size of the box around a transformed frame.
  public func size(of size: Track.Size) -> Track.Size {
    func scale(_ index: Int) -> Double { Double(values[index]) / 65536 }
    return Track.Size(
      width: (scale(0) * size.width).magnitude + (scale(3) * size.height).magnitude,
      height: (scale(1) * size.width).magnitude + (scale(4) * size.height).magnitude
    )
  }
}
