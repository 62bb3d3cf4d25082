/// Noise to be added before samples are rounded to 16 bits: it makes the error of rounding independent of the sound.
///
/// Without it, soft sounds are distorted, and a fade ends in a buzz. The noise is the difference of two uniform random
/// numbers, each of them a step of 16 bits wide: with this triangular distribution neither the mean nor the power of
/// the error depends on the sound. It raises the floor from -98 to -93 dB.
///
/// Source: S. P. Lipshitz, R. A. Wannamaker, J. Vanderkooy, "Quantization and dither: a theoretical survey", 1992.
struct TriangularNoise: Sendable {
  /// The same at the beginning each time, so that the same sound gives the same bytes.
  private var state: UInt64 = 0x4C79_7265_6269_7264

  /// A sample with noise of at most a step of 16 bits, mostly less.
  @inline(__always)
  mutating func added(to sample: Float) -> Float {
    // A linear congruential generator with Knuth's factor. Its upper bits are the random ones: 32 of them make two
    // numbers of 16 bits, finer than a step by more than one needs.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let bits = UInt32(truncatingIfNeeded: state >> 32)
    let difference = Int32(bits >> 16) - Int32(bits & 0xFFFF)
    return sample + Float(difference) * (1 / (65536 * 32768))
  }
}
