public import MediaCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// How loud sound is: what a level meter shows.
public struct AudioLevel: Sendable, Hashable {
  /// The largest sample of any channel, full scale being 1.
  public var peak: Float
  /// Root of the mean square of the loudest channel, full scale being 1.
  public var rms: Float

  /// Silence.
  public static let silence = AudioLevel(peak: 0, rms: 0)

  /// A level from its parts.
  public init(peak: Float, rms: Float) {
    self.peak = peak
    self.rms = rms
  }

  /// The level of a buffer.
  public init(_ buffer: PCMBuffer) {
    let samples = buffer.floats
    let channels = buffer.format.channels
    var peak: Float = 0
    var squares = [Float](repeating: 0, count: channels)
    var channel = 0
    for sample in samples {
      peak = max(peak, sample.magnitude)
      squares[channel] += sample * sample
      channel = channel + 1 == channels ? 0 : channel + 1
    }
    let mean = (squares.max() ?? 0) / Float(max(buffer.frameCount, 1))
    self.init(peak: peak, rms: mean.squareRoot())
  }

  /// A level in decibels below full scale, as meters are marked: 0 is the loudest, -120 the least that is told apart.
  public static func decibels(_ level: Float) -> Double {
    level > 0 ? max(20 * log10(Double(level)), -120) : -120
  }
}
