#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Constants of temporal noise shaping (TNS): prediction across spectral lines, which shapes noise in time.
///
/// Source: ISO/IEC 14496-3, 4.6.9.
enum NoiseShaping {
  /// Bands from here on are never filtered, by sampling frequency index: long windows.
  static let maximumLongBands: [Int] = [31, 31, 34, 40, 42, 51, 46, 46, 42, 42, 42, 39, 39]
  /// The same for short windows.
  static let maximumShortBands: [Int] = [9, 9, 10, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14]
  /// Highest order of a filter of a long window: Main.
  static let maximumOrderMain = 20
  /// Highest order of a filter of a long window: LC and LTP.
  static let maximumOrder = 12
  /// Highest order of a filter of a short window.
  static let maximumShortOrder = 7

  /// A reflection coefficient from the index that is sent.
  ///
  /// The standard's divisor is rounded to single precision first, as in the reference software: that changes the last
  /// digit of three coefficients in every decoder's tables, and a filter close to instability amplifies it a thousand
  /// times.
  ///
  /// - Parameters:
  ///   - index: signed, of `resolution` bits.
  ///   - resolution: 3 or 4 bits.
  static func reflection(_ index: Int, resolution: Int) -> Double {
    let half = Double(1 << (resolution - 1))
    let divisor = Float((index >= 0 ? half - 0.5 : half + 0.5) / (.pi / 2))
    return sin(Double(index) / Double(divisor))
  }
}
