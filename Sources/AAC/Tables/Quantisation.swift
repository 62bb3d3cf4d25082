#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// How quantised lines become spectral values: `sign(q) |q|^(4/3) 2^((scalefactor - 100) / 4)`.
///
/// The power makes steps grow with the value, as loud lines mask more noise; a scalefactor step is 1.5 dB.
///
/// Source: ISO/IEC 14496-3, 4.6.1 and 4.6.2.
enum Quantisation {
  /// The scalefactor of gain 1.
  static let scalefactorOffset = 100
  /// The largest scalefactor; the smallest is 0.
  static let largestScalefactor = 255
  /// Distance from the global gain to the offset of noise energies. Source: 4.6.13.
  static let noiseOffset = 90
  /// The first noise energy of a frame takes nine bits, in which this value means 0.
  static let noiseStartOffset = 256

  /// `|q|^(4/3)` for magnitudes up to 8191.
  static let power43: [Float] = (0...Codebook.largestMagnitude).map { Float(cbrt(Double($0)) * Double($0)) }

  /// `2^(exponent / 4)`.
  static func gain(quarters exponent: Int) -> Double { exp2(Double(exponent) / 4) }
}
