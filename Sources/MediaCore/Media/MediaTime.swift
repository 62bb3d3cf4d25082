/// A point in time or a duration, as a whole number of ticks.
///
/// The ticks of media clocks are not binary fractions of a second: 29.97 frames a second is 30 000/1001, a frame
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
    let rounded = MediaTime.quotient(Int128(value) * Int128(target), Int128(self.timescale), rounding)
    return Int64(exactly: rounded).map { MediaTime(value: $0, timescale: target) }
  }
}

/// Adding and subtracting.
///
/// The result is exact, in the smallest timescale in which both times are whole numbers of ticks: 1/2 + 1/3 is 5/6. If
/// that timescale takes more than 32 bits, the result is rounded to the nearest tick of the finer of the two; if its
/// ticks take more than 64, it is the nearest value that 64 bits hold.
extension MediaTime {
  /// Both times together.
  public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
    combined(left, Int128(right.value), right.timescale)
  }

  /// How much later the first time is than the second; negative where it is earlier.
  public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
    combined(left, -Int128(right.value), right.timescale)
  }

  /// Adds a time.
  public static func += (left: inout MediaTime, right: MediaTime) { left = left + right }

  /// Subtracts a time.
  public static func -= (left: inout MediaTime, right: MediaTime) { left = left - right }

  private static func combined(_ left: MediaTime, _ value: Int128, _ timescale: UInt32) -> MediaTime {
    let divisor = greatestCommonDivisor(UInt64(left.timescale), UInt64(timescale))
    // Below 2^64, and each product below 2^96 as one factor is the other's timescale over the divisor.
    let common = UInt64(left.timescale) / divisor * UInt64(timescale)
    let ticks =
      Int128(left.value) * Int128(UInt64(timescale) / divisor) + value * Int128(UInt64(left.timescale) / divisor)
    if let scale = UInt32(exactly: common) {
      return MediaTime(value: Int64(clamping: ticks), timescale: scale)
    }
    let finer = max(left.timescale, timescale)
    // The common timescale is this many times the finer one.
    let factor = UInt64(min(left.timescale, timescale)) / divisor
    return MediaTime(value: Int64(clamping: quotient(ticks, Int128(factor), .nearest)), timescale: finer)
  }
}

// The same in a timescale that the caller chooses, for tables of files.
extension MediaTime {
  /// The least timescale in which the time is a whole number of ticks.
  package var leastTimescale: UInt32 {
    timescale / UInt32(max(greatestCommonDivisor(value.magnitude, UInt64(timescale)), 1))
  }

  /// How much later this is than another time; negative where it is earlier.
  ///
  /// - Parameters:
  ///   - other: the time to count from.
  ///   - timescale: ticks a second of the result; 0 is taken as 1.
  ///   - rounding: what becomes of a fraction of a tick. It is rounded once, so that what the timescale can express is
  ///     exact.
  /// - Returns: the difference, or the nearest to it that 64 bits hold.
  package func since(_ other: MediaTime, in timescale: UInt32, rounding: Rounding = .nearest) -> MediaTime {
    let target = timescale == 0 ? 1 : timescale
    // Below 2^97, as each product is below 2^96.
    let ticks = Int128(value) * Int128(other.timescale) - Int128(other.value) * Int128(self.timescale)
    let common = Int128(self.timescale) * Int128(other.timescale)
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: common)
    // What is left of a second is below 2^64, so it can be counted in any ticks.
    let rounded = seconds * Int128(target) + MediaTime.quotient(rest * Int128(target), common, rounding)
    return MediaTime(value: Int64(clamping: rounded), timescale: target)
  }

  /// This time and another one together, in the timescale of this one; the nearest that 64 bits hold.
  package func adding(_ other: MediaTime, rounding: Rounding = .nearest) -> MediaTime {
    let product = Int128(other.value) * Int128(timescale)
    let ticks = Int128(value) + MediaTime.quotient(product, Int128(other.timescale), rounding)
    return MediaTime(value: Int64(clamping: ticks), timescale: timescale)
  }

  private static func quotient(_ dividend: Int128, _ divisor: Int128, _ rounding: Rounding) -> Int128 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    let floor = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + divisor : remainder
    return switch rounding {
    case .down: floor
    case .nearest: fraction * 2 >= divisor ? floor + 1 : floor
    case .up: fraction > 0 ? floor + 1 : floor
    }
  }
}

/// Arithmetic on ticks, which come from files and may be anything: the result is the nearest that 64 bits hold.
extension Int64 {
  /// The sum of two numbers of ticks.
  @inlinable
  package func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference of two numbers of ticks.
  @inlinable
  package func saturatingSubtract(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}

extension MediaTime: Hashable, Comparable {
  /// Whether both are the same time, whatever their timescales.
  public static func == (left: MediaTime, right: MediaTime) -> Bool {
    Int128(left.value) * Int128(right.timescale) == Int128(right.value) * Int128(left.timescale)
  }

  /// Whether the first is earlier, compared in 128 bits: no pair of times overflows.
  public static func < (left: MediaTime, right: MediaTime) -> Bool {
    Int128(left.value) * Int128(right.timescale) < Int128(right.value) * Int128(left.timescale)
  }

  /// Equal times hash alike: the fraction is reduced first.
  public func hash(into hasher: inout Hasher) {
    let divisor = max(greatestCommonDivisor(value.magnitude, UInt64(timescale)), 1)
    hasher.combine(value < 0)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(UInt64(timescale) / divisor)
  }
}

/// Coded as its two numbers, `value` and `timescale`. A timescale of 0 is read as 1.
extension MediaTime: Codable {
  private enum CodingKeys: String, CodingKey { case value, timescale }

  /// Reads a time.
  ///
  /// - Throws: `DecodingError` where a number is missing or does not fit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      value: try container.decode(Int64.self, forKey: .value),
      timescale: try container.decode(UInt32.self, forKey: .timescale))
  }
}

extension MediaTime: CustomStringConvertible {
  /// The fraction as it is: `1024/44100`.
  public var description: String { "\(value)/\(timescale)" }
}
