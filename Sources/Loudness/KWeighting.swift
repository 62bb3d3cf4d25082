#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The filter that makes power follow what is heard: a shelf for the head, which reflects upper frequencies to the
/// ear, and a high-pass, as low ones sound softer. For two channels at a time.
///
/// Source: ITU-R BS.1770-5, annex 1, tables 1 and 2, which give coefficients at 48 kHz. The analogue filters behind
/// them (centre, gain and quality below) give those of any rate by the bilinear transform, and at 48 kHz the tables.
struct KWeighting: Sendable {
  private var shelf: Biquad
  private var highPass: Biquad

  /// The filter at a sampling rate, in Hz.
  init(sampleRate: Int) {
    let gain = pow(10, 3.999843853973347 / 20)
    shelf = Biquad(
      frequency: 1681.974450955533, quality: 0.7071752369554196, sampleRate: sampleRate,
      high: gain, band: pow(gain, 0.4996667741545416), low: 1)
    highPass = Biquad(
      frequency: 38.13547087602444, quality: 0.5003270373238773, sampleRate: sampleRate, high: 1, band: 0, low: 0)
    // The tables have 1, -2, 1 in front of the high-pass, a hair more than the transform gives, which the
    // recommendation's offset of -0.691 takes into account. It is kept at every sampling rate, as in other programs:
    // where the transform bends the shelf, at 8 kHz by up to half a dB, that makes up for it around 1 kHz.
    highPass.normaliseInput()
  }

  /// The next frame of two channels, weighted.
  @inline(__always)
  mutating func filter(_ frame: SIMD2<Double>) -> SIMD2<Double> { highPass.filter(shelf.filter(frame)) }

  /// Sets to zero what is too small to be heard and too small for the processor to compute fast with.
  mutating func settle() {
    shelf.settle()
    highPass.settle()
  }
}

/// A filter of second order.
private struct Biquad: Sendable {
  private var b0: Double
  private var b1: Double
  private var b2: Double
  private let a1: Double
  private let a2: Double
  private var first = SIMD2<Double>.zero
  private var second = SIMD2<Double>.zero

  /// `(high s^2 + band s / quality + low) / (s^2 + s / quality + 1)` around a frequency.
  init(frequency: Double, quality: Double, sampleRate: Int, high: Double, band: Double, low: Double) {
    let k = tan(Double.pi * frequency / Double(sampleRate))
    let a0 = 1 + k / quality + k * k
    b0 = (high + band * k / quality + low * k * k) / a0
    b1 = 2 * (low * k * k - high) / a0
    b2 = (high - band * k / quality + low * k * k) / a0
    a1 = 2 * (k * k - 1) / a0
    a2 = (1 - k / quality + k * k) / a0
  }

  mutating func normaliseInput() { (b0, b1, b2) = (1, b1 / b0, b2 / b0) }

  @inline(__always)
  mutating func filter(_ input: SIMD2<Double>) -> SIMD2<Double> {
    let output = b0 * input + first
    first = b1 * input - a1 * output + second
    second = b2 * input - a2 * output
    return output
  }

  mutating func settle() {
    first = Biquad.settled(first)
    second = Biquad.settled(second)
  }

  private static func settled(_ state: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(abs(state.x) < 1e-30 ? 0 : state.x, abs(state.y) < 1e-30 ? 0 : state.y)
  }
}
