/// The format of PCM: sampling rate, sample format and channels.
public struct AudioFormat: Sendable, Hashable {
  /// Frames a second; a frame is one sample of each channel.
  public var sampleRate: Int
  /// How a single sample is written.
  public var sampleFormat: SampleFormat
  /// Which loudspeaker each channel is for.
  public var layout: ChannelLayout

  /// How a single sample of PCM is written.
  public enum SampleFormat: Sendable, Hashable {
    /// Signed 16-bit integers.
    case int16
    /// Signed 24-bit integers: three bytes in a file, the upper bits of an `Int32` in a `PCMBuffer`.
    case int24
    /// Signed 32-bit integers.
    case int32
    /// 32-bit IEEE floats, full scale at -1 and 1.
    case float32

    /// Bits of a sample.
    public var bitDepth: Int {
      switch self {
      case .int16: 16
      case .int24: 24
      case .int32, .float32: 32
      }
    }
  }

  /// A format from its parts; the defaults are CD quality.
  public init(sampleRate: Int = 44_100, sampleFormat: SampleFormat = .int16, layout: ChannelLayout = .stereo) {
    self.sampleRate = sampleRate
    self.sampleFormat = sampleFormat
    self.layout = layout
  }

  /// A format with the usual layout for a number of channels.
  public init(sampleRate: Int, sampleFormat: SampleFormat = .int16, channels: Int) {
    self.init(sampleRate: sampleRate, sampleFormat: sampleFormat, layout: ChannelLayout(channels: channels))
  }

  /// 16-bit integers at a sampling rate.
  public static func int16(_ sampleRate: Int, _ layout: ChannelLayout) -> AudioFormat {
    AudioFormat(sampleRate: sampleRate, sampleFormat: .int16, layout: layout)
  }

  /// Floats at a sampling rate.
  public static func float32(_ sampleRate: Int, _ layout: ChannelLayout) -> AudioFormat {
    AudioFormat(sampleRate: sampleRate, sampleFormat: .float32, layout: layout)
  }

  /// The number of channels.
  public var channels: Int { layout.channels }

  /// The same for messages: `1 channel`, `2 channels`.
  package var channelText: String { AudioFormat.channelText(channels) }

  /// A number of channels for a message: `1 channel`, `2 channels`.
  package static func channelText(_ channels: Int) -> String { channels == 1 ? "1 channel" : "\(channels) channels" }

  /// The layout for a number of channels: its own for as many as it has, and if `nil` is wanted; else the usual one.
  package func layout(channels: Int?) -> ChannelLayout {
    guard let channels, channels != layout.channels else { return layout }
    return ChannelLayout(channels: channels)
  }

  /// Bytes of one frame of interleaved samples as files pack them: a sample of 24 bits takes three.
  public var bytesPerFrame: Int { channels * sampleFormat.bitDepth / 8 }
}

/// Which loudspeakers the channels of a frame are for, in the order of WAVE files: front left, front right, front
/// centre, LFE, back left, back right, and so on up the bits of the mask.
///
/// Source: `dwChannelMask` of WAVEFORMATEXTENSIBLE.
public struct ChannelLayout: Sendable, Hashable {
  /// How many channels a frame has.
  public let channels: Int
  /// A bit for each loudspeaker, the lowest for the first channel; 0 where the channels are not for any in particular.
  public let mask: UInt32

  /// The numbers of channels that a layout can have: as many as a WAVE header can count.
  private static let limits = 1...Int(UInt16.max)

  /// The usual layout for a number of channels. A number below 1 is taken as 1, one above 65 535 as 65 535.
  public init(channels: Int) {
    self.channels = min(max(channels, ChannelLayout.limits.lowerBound), ChannelLayout.limits.upperBound)
    mask =
      switch self.channels {
      case 1: 0x4  // C
      case 2: 0x3  // L R
      case 3: 0x7  // L R C
      case 4: 0x107  // L R C Cs
      case 5: 0x37  // L R C Ls Rs
      case 6: 0x3F  // L R C LFE Ls Rs
      case 7: 0x13F  // L R C LFE Ls Rs Cs
      case 8: 0x63F  // L R C LFE Ls Rs, sides
      default: 0
      }
  }

  /// A layout from a mask of WAVE loudspeaker bits. A mask without exactly one bit per channel is taken as 0.
  public init(channels: Int, mask: UInt32) {
    self.channels = min(max(channels, ChannelLayout.limits.lowerBound), ChannelLayout.limits.upperBound)
    self.mask = mask.nonzeroBitCount == self.channels ? mask : 0
  }

  /// One channel.
  public static let mono = ChannelLayout(channels: 1)
  /// Left and right.
  public static let stereo = ChannelLayout(channels: 2)
  /// Left, right, centre, LFE, and two surround channels.
  public static let surround5Point1 = ChannelLayout(channels: 6)
}
