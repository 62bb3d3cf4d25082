#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Lowers levels by what decoders raise them where they add tones.
///
/// A decoder takes a band's level for that of each of its subbands, but it makes a tone in one of them and leaves the others
/// nearly empty. Energy then seems to be missing, and it makes up for that by raising all that is in the limiter's band: a
/// tone would be up to 4 dB too loud, and so would the bands beside it.
///
/// Source: ISO/IEC 14496-3, 4.6.18.7.4 and 4.6.18.7.5.
struct SBRTones {
  /// How many tones each band of the envelope has.
  let counts: [Int]
  private let bands: SBRBands
  private let borders: [Int]
  /// Noise relative to the sound, by noise band.
  private let noise: [Float]

  /// The most that a decoder raises energies by: 4 dB.
  private static let largestBoost: Float = 2.512

  /// - Parameters:
  ///   - estimate: where tones and noise are.
  ///   - bands: those of the layer.
  ///   - borders: where the envelope's bands begin, and where the last one ends.
  init(_ estimate: SBRNoiseEstimator.Estimate, _ bands: SBRBands, borders: [Int]) {
    (self.bands, self.borders) = (bands, borders)
    noise = estimate.levels.map { exp2f(Float(6 - $0)) }
    let tones = zip(bands.high, estimate.harmonics).filter(\.1).map(\.0)
    counts = zip(borders, borders.dropFirst()).map { from, to in tones.count { $0 >= from && $0 < to } }
  }

  /// The levels from which a decoder makes these energies.
  ///
  /// - Parameter energies: of each tone in bands that have any, otherwise of each subband.
  func levels(from energies: [Float]) -> [Float] {
    guard counts.contains(where: { $0 > 0 }) else { return energies }
    var levels = energies
    // What a decoder wants in each subband, and what it finds there before it makes up for the rest.
    var wanted = [Float](repeating: 0, count: SBRBands.subbands)
    var present = wanted
    for band in levels.indices {
      let range = borders[band]..<borders[band + 1]
      var share: Float = 1
      if counts[band] > 0 {
        // The tones, in each subband a part of the copy, as loud as the noise, and in those without a tone the noise too.
        let (tones, ratio) = (Float(counts[band]), noise[bands.noiseBand(of: range.lowerBound)])
        share = (tones / Float(range.count) * (1 - ratio) + 2 * ratio) / (1 + ratio)
      }
      for subband in range { (wanted[subband], present[subband]) = (levels[band], levels[band] * share) }
    }
    for (from, end) in zip(bands.limiter, bands.limiter.dropFirst()) {
      let sum = present[from..<end].reduce(.ulpOfOne, +)
      let boost = min(wanted[from..<end].reduce(0, +) / sum, SBRTones.largestBoost)
      // A band that is in two of the limiter's counts where its middle is, which is where its tone is.
      for band in levels.indices where (from..<end).contains((borders[band] + borders[band + 1]) / 2) {
        levels[band] /= max(boost, 1)
      }
    }
    return levels
  }
}
