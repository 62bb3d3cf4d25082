public import MediaCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// How loud sound is, channel by channel: what a level meter shows.
public struct AudioLevel: Sendable, Hashable {
  /// How loud one channel is.
  public struct Channel: Sendable, Hashable {
    /// The largest sample, with full scale at 1. Float samples can exceed it.
    public var peak: Float
    /// Root mean square, with full scale at 1.
    public var rms: Float
    /// Whether a sample reached full scale: the sound was too loud for the device, or just about to be.
    public var isClipped: Bool { peak >= Channel.fullScale }

    /// The largest sample that 16 bits can hold.
    static let fullScale: Float = 32_767 / 32_768

    /// A level from its parts.
    public init(peak: Float, rms: Float) {
      self.peak = peak
      self.rms = rms
    }
  }

  /// The channels, in the order of the format's layout; none for silence.
  public var channels: [Channel]

  /// The largest sample of any channel, with full scale at 1.
  public var peak: Float { channels.map(\.peak).max() ?? 0 }
  /// Root mean square of the loudest channel, with full scale at 1.
  public var rms: Float { channels.map(\.rms).max() ?? 0 }
  /// Whether a sample of any channel reached full scale.
  public var isClipped: Bool { channels.contains(where: \.isClipped) }

  /// Silence.
  public static let silence = AudioLevel(channels: [])

  /// A level from those of the channels.
  public init(channels: [Channel]) {
    self.channels = channels
  }

  /// The level of a buffer; what is not a number counts as silence.
  public init(_ buffer: PCMBuffer) {
    let samples = buffer.floats
    let count = buffer.format.channels
    let frames = max(buffer.frameCount, 1)
    channels = (0..<count).map { channel in
      var peak: Float = 0
      var squares = 0.0
      for place in stride(from: channel, to: samples.count, by: count) where !samples[place].isNaN {
        peak = max(peak, samples[place].magnitude)
        squares += Double(samples[place]) * Double(samples[place])
      }
      return Channel(peak: peak, rms: Float((squares / Double(frames)).squareRoot()))
    }
  }

  /// A level in decibels relative to full scale, as meters are marked: 0 is full scale, -120 the lowest value. Float
  /// samples above full scale give more than 0, up to 120.
  public static func decibels(_ level: Float) -> Double {
    level > 0 ? min(max(20 * log10(Double(level)), -120), 120) : -120
  }
}
