/// What the samples of a track are: the codec, its set-up, and how the result is to be shown.
public struct SampleDescription: Sendable {
  /// The sample entry's code as it is in the file: `avc1`, `mp4a`, or `encv` where the samples are encrypted.
  public var entryType: FourCC
  /// The code of the media itself: what `encv` hides.
  public var codec: FourCC
  /// The codec in words: `H.264`, `AAC-LC`.
  public var codecName: String
  /// The codec as web pages name it, `avc1.64001f` or `mp4a.40.2`: RFC 6381 and each codec's own rules.
  public var codecString: String
  /// The part specific to audio or to video.
  public var format: MediaFormat
  /// How the samples are encrypted, if they are.
  public var protection: Protection?
  /// The whole sample entry, box header included, byte for byte, so that any codec can be copied, known or not.
  public var entry: [UInt8]

  /// The part specific to a kind of media.
  public enum MediaFormat: Sendable {
    /// Sound: rate, channels, decoder configuration.
    case audio(AudioTrackFormat)
    /// Pictures: size, colour, decoder configuration.
    case video(VideoTrackFormat)
    /// Neither.
    case other
  }

  /// A description from its parts.
  public init(
    entryType: FourCC, codec: FourCC, codecName: String, codecString: String, format: MediaFormat,
    protection: Protection? = nil, entry: [UInt8] = []
  ) {
    self.entryType = entryType
    self.codec = codec
    self.codecName = codecName
    self.codecString = codecString
    self.format = format
    self.protection = protection
    self.entry = entry
  }
}

/// What an audio track's description says.
public struct AudioTrackFormat: Sendable, Hashable {
  /// Samples a second of each channel.
  public var sampleRate: Double
  /// Channels; 0 where the file leaves it to the codec's own set-up.
  public var channels: Int
  /// Bits per sample, where that has a meaning: PCM and lossless codecs.
  public var bitsPerSample: Int
  /// The MPEG-4 object type indication of an `esds` box: 0x40 AAC, 0x6B MP3; `nil` where there is no such box.
  public var objectType: UInt8?
  /// The codec's set-up as it is in the file: for AAC, the AudioSpecificConfig of ISO/IEC 14496-3, 1.6.2.1.
  public var decoderConfiguration: [UInt8]
  /// How samples are written, if they are PCM.
  public var pcmCoding: PCMCoding?

  /// A format from its parts.
  public init(
    sampleRate: Double, channels: Int, bitsPerSample: Int, objectType: UInt8? = nil,
    decoderConfiguration: [UInt8] = [], pcmCoding: PCMCoding? = nil
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitsPerSample = bitsPerSample
    self.objectType = objectType
    self.decoderConfiguration = decoderConfiguration
    self.pcmCoding = pcmCoding
  }
}

/// What a video track's description says.
public struct VideoTrackFormat: Sendable, Hashable {
  /// Coded width in pixels.
  public var width: Int
  /// Coded height in pixels.
  public var height: Int
  /// Width of a pixel over its height, as a pair; 1:1 if not stated.
  public var pixelAspect: [UInt32]
  /// Colour as code points of ITU-T H.273.
  public var colour: Colour?
  /// Brightness of the content, if stated: high dynamic range.
  public var lightLevel: LightLevel?
  /// Dolby Vision profile and level.
  public var dolbyVision: DolbyVision?
  /// The codec's set-up as it is in the file: the payload of `avcC`, `hvcC`, `av1C`.
  public var decoderConfiguration: [UInt8]

  /// Colour primaries, transfer and matrix: ITU-T H.273.
  public struct Colour: Sendable, Hashable {
    /// `colour_primaries`.
    public var primaries: UInt16
    /// `transfer_characteristics`: 16 is PQ, 18 is HLG.
    public var transfer: UInt16
    /// `matrix_coefficients`.
    public var matrix: UInt16
    /// Whether all code values are used, not just the video range.
    public var isFullRange: Bool

    /// Colour from its code points.
    public init(primaries: UInt16, transfer: UInt16, matrix: UInt16, isFullRange: Bool) {
      self.primaries = primaries
      self.transfer = transfer
      self.matrix = matrix
      self.isFullRange = isFullRange
    }
  }

  /// Light levels in candela per square metre.
  public struct LightLevel: Sendable, Hashable {
    /// The brightest pixel (MaxCLL).
    public var maximumContent: UInt16
    /// The average of the brightest frame (MaxFALL).
    public var maximumAverage: UInt16

    /// Levels from their numbers.
    public init(maximumContent: UInt16, maximumAverage: UInt16) {
      self.maximumContent = maximumContent
      self.maximumAverage = maximumAverage
    }
  }

  /// What `dvcC`, `dvvC` or `dvwC` says.
  public struct DolbyVision: Sendable, Hashable {
    /// Profile, 5 or 8 for single-layer streams.
    public var profile: UInt8
    /// Level, 1 to 13.
    public var level: UInt8

    /// Dolby Vision from profile and level.
    public init(profile: UInt8, level: UInt8) {
      self.profile = profile
      self.level = level
    }
  }

  /// A format of a given size, with everything else unspecified.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
    pixelAspect = [1, 1]
    decoderConfiguration = []
  }
}

/// How samples are encrypted: ISO/IEC 23001-7.
public struct Protection: Sendable, Hashable {
  /// The scheme: `cenc`, `cbcs`, `piff`.
  public var scheme: FourCC
  /// The key that samples use unless they say otherwise: 16 bytes, or none.
  public var defaultKeyID: [UInt8]

  /// Protection from its parts.
  public init(scheme: FourCC, defaultKeyID: [UInt8]) {
    self.scheme = scheme
    self.defaultKeyID = defaultKeyID
  }
}
