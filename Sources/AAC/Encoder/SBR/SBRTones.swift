/// Lowers levels by as much as decoders raise them where they add tones.
///
/// A decoder takes a band's level for that of each of its subbands, but it makes a tone in one of them and leaves the
/// others nearly empty. Energy then seems to be missing, and it makes up for that by raising all that is in the
/// limiter's band: a tone would be up to 4 dB too loud, and so would the bands beside it.
///
/// Source: ISO/IEC 14496-3, 4.6.18.7.4 and 4.6.18.7.5.
struct SBRTones {
  /// How many tones each band of the envelope has.
  let counts: [Int]
  private let bands: SBRBands
  private let borders: [Int]
  private let estimate: SBRNoiseEstimator.Estimate

  /// - Parameters:
  ///   - estimate: where tones and noise are.
  ///   - bands: those of the layer.
  ///   - borders: where the envelope's bands begin, and where the last one ends.
  init(_ estimate: SBRNoiseEstimator.Estimate, _ bands: SBRBands, borders: [Int]) {
    (self.bands, self.borders, self.estimate) = (bands, borders, estimate)
    let tones = zip(bands.high, estimate.harmonics).filter(\.1).map(\.0)
    counts = zip(borders, borders.dropFirst()).map { from, to in tones.count { $0 >= from && $0 < to } }
  }

  /// The levels from which a decoder makes these energies.
  ///
  /// - Parameter energies: of each tone in bands that have any, otherwise of each subband.
  func levels(from energies: [Float]) -> [Float] {
    guard counts.contains(where: { $0 > 0 }) else { return energies }
    let (noise, largest) = (estimate.ratios, HighFrequencyGains.largestBoost)
    var levels = energies
    // What a decoder wants in each subband, and what it finds there before it makes up for the rest.
    var wanted = [Float](repeating: 0, count: SBRBands.subbands)
    var present = wanted
    for band in levels.indices {
      let range = borders[band]..<borders[band + 1]
      var share: Float = 1
      if counts[band] > 0 {
        // A tone takes one subband, and noise the others; beneath both is what is left of the copy, as loud as the
        // noise.
        let (tones, ratio) = (Float(counts[band]), noise[bands.noiseBand(of: range.lowerBound)])
        share = (tones / Float(range.count) * (1 - ratio) + 2 * ratio) / (1 + ratio)
      }
      for subband in range { (wanted[subband], present[subband]) = (levels[band], levels[band] * share) }
    }
    for (from, end) in zip(bands.limiter, bands.limiter.dropFirst()) {
      let sum = present[from..<end].reduce(.ulpOfOne, +)
      let boost = min(wanted[from..<end].reduce(0, +) / sum, largest * largest)
      // The limiter may divide a band. What counts then is where its middle is, as a tone is there.
      for band in levels.indices where (from..<end).contains((borders[band] + borders[band + 1]) / 2) {
        levels[band] /= max(boost, 1)
      }
    }
    return levels
  }
}
