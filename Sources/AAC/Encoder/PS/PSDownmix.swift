/// Mixes two channels to the one that is coded, band by band.
///
/// Decoders give left and right together twice the energy of what was coded, so the mix has the mean of both energies.
/// Half of the sum has it only where the channels are the same: it is up to 3 dB softer where they have nothing in
/// common or one is silent, and nothing is left where they are opposite. So the right channel is turned to the phase of
/// the left one first, the more fully the more they have in common, and a gain makes up for the rest.
///
/// Energies are averaged over some 10 ms: a gain that followed at once would modulate the sound.
final class PSDownmix {
  /// How much a slot counts in the means.
  private static let share: Float = 0.15
  /// How strongly the measured phase is pulled towards no difference: where the channels have little in common, their
  /// phase is an accident and is not followed.
  private static let bias: Float = 0.6
  /// The highest gain: 8 dB. More is needed only for moments, where phases turn.
  private static let largestGain: Float = 2.5

  /// Subbands that are mixed alike, as wide as parameter bands.
  private static let borders = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 18, 23, 35, 64]

  /// Means of a band.
  private struct Means {
    var left: Float = 0
    var right: Float = 0
    /// The mean of left times the conjugate of right.
    var both = SIMD2<Float>.zero
  }

  private var means = [Means](repeating: Means(), count: borders.count - 1)

  /// Mixes a frame: slots 0 to 31 of all subbands.
  func mix(_ left: SubbandSamples, _ right: SubbandSamples, to target: SubbandSamples) {
    let borders = PSDownmix.borders
    for band in means.indices {
      for slot in 0..<32 {
        let subbands = borders[band]..<borders[band + 1]
        let (turn, gain) = follow(band, left, right, subbands, slot)
        for subband in subbands {
          let (l, r, mix) = unsafe (left.row(subband), right.row(subband), target.row(subband))
          let turned = unsafe SIMD2(
            r.real[slot] * turn.x - r.imaginary[slot] * turn.y, r.real[slot] * turn.y + r.imaginary[slot] * turn.x)
          unsafe mix.real[slot] = gain * (l.real[slot] + turned.x)
          unsafe mix.imaginary[slot] = gain * (l.imaginary[slot] + turned.y)
        }
      }
    }
  }

  /// How the right channel is to be turned in a slot, and the factor of the sum.
  private func follow(
    _ band: Int, _ left: SubbandSamples, _ right: SubbandSamples, _ subbands: Range<Int>, _ slot: Int
  ) -> (turn: SIMD2<Float>, gain: Float) {
    var now = Means()
    for subband in subbands {
      let (l, r) = unsafe (left.row(subband), right.row(subband))
      let (x, y) = unsafe (SIMD2(l.real[slot], l.imaginary[slot]), SIMD2(r.real[slot], r.imaginary[slot]))
      now.left += (x * x).sum()
      now.right += (y * y).sum()
      now.both += SIMD2((x * y).sum(), x.y * y.x - x.x * y.y)
    }
    let share = PSDownmix.share
    means[band].left += share * (now.left - means[band].left)
    means[band].right += share * (now.right - means[band].right)
    means[band].both += share * (now.both - means[band].both)
    let mean = means[band]
    let phase = mean.both + SIMD2(PSDownmix.bias * (mean.left * mean.right).squareRoot(), 0)
    let length = (phase * phase).sum().squareRoot()
    let turn = length > 1e-3 ? phase / length : SIMD2(1, 0)
    let energy = mean.left + mean.right
    let sum = energy + 2 * (turn * mean.both).sum()
    // Less is silence: energies are of 16-bit samples.
    guard energy > 1e-3 else { return (turn, 0.5) }
    return (turn, 0.5 * min((2 * energy / max(sum, 1e-6 * energy)).squareRoot(), PSDownmix.largestGain))
  }
}
