/// A moment or a length of time as a whole number of ticks.
///
/// Media clocks do not divide a second evenly into binary fractions: 29.97 frames a second is 30 000/1001, a frame
/// of AAC at 44.1 kHz is 1024/44 100 s. Floating point would drift; ticks over a timescale are exact. Two times with
/// different timescales compare by value, so 1/2 equals 24 000/48 000.
public struct MediaTime: Sendable {
  /// Ticks; negative before the origin.
  public let value: Int64
  /// Ticks a second, never 0.
  public let timescale: UInt32

  /// A time of `value` ticks of 1/`timescale` s. A timescale of 0, which means nothing, is taken as 1.
  @inlinable
  public init(value: Int64, timescale: UInt32) {
    self.value = value
    self.timescale = timescale == 0 ? 1 : timescale
  }

  /// Zero seconds.
  public static let zero = MediaTime(value: 0, timescale: 1)

  /// The time in seconds, rounded: for showing to a person, never for computing.
  public var seconds: Double {
    Double(value) / Double(timescale)
  }

  /// How rounding goes when a time falls between two ticks of another timescale.
  public enum Rounding: Sendable {
    /// Towards minus infinity.
    case down
    /// To the nearest tick; a half goes up.
    case nearest
    /// Towards plus infinity.
    case up
  }

  /// The same time in another timescale, or `nil` where it does not fit 64 bits.
  ///
  /// - Parameters:
  ///   - timescale: ticks a second of the result; 0 is taken as 1.
  ///   - rounding: what becomes of a fraction of a tick.
  public func converted(to timescale: UInt32, rounding: Rounding = .nearest) -> MediaTime? {
    let target = timescale == 0 ? 1 : timescale
    if target == self.timescale { return self }
    let product = Int128(value) * Int128(target)
    let divisor = Int128(self.timescale)
    let (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
    let floor = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + divisor : remainder
    let rounded: Int128 =
      switch rounding {
      case .down: floor
      case .nearest: fraction * 2 >= divisor ? floor + 1 : floor
      case .up: fraction > 0 ? floor + 1 : floor
      }
    return Int64(exactly: rounded).map { MediaTime(value: $0, timescale: target) }
  }
}

extension MediaTime: Hashable, Comparable {
  /// Whether both are the same moment, whatever their timescales.
  public static func == (left: MediaTime, right: MediaTime) -> Bool {
    Int128(left.value) * Int128(right.timescale) == Int128(right.value) * Int128(left.timescale)
  }

  /// Whether the first is earlier, compared in 128 bits: no pair of times overflows.
  public static func < (left: MediaTime, right: MediaTime) -> Bool {
    Int128(left.value) * Int128(right.timescale) < Int128(right.value) * Int128(left.timescale)
  }

  /// Equal times hash alike: the fraction is reduced first.
  public func hash(into hasher: inout Hasher) {
    var a = value.magnitude
    var b = UInt64(timescale)
    while b != 0 { (a, b) = (b, a % b) }
    let divisor = max(a, 1)
    hasher.combine(value < 0)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(UInt64(timescale) / divisor)
  }
}

extension MediaTime: CustomStringConvertible {
  /// The fraction as it is: `1024/44100`.
  public var description: String { "\(value)/\(timescale)" }
}
