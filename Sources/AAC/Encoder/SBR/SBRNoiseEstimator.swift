#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Compares how noisy the high band of a channel is with what a decoder makes by copying the low band: that
/// shows how much noise is to be added, and where a tone is missing.
///
/// The part of a subband sample that its two predecessors predict counts as tone; the rest is noise. As subbands
/// overlap, even noise can be predicted to some extent, but that is so on both sides of the comparison.
///
/// How far tones are removed from copies (inverse filtering) does not follow from the comparison. The higher the
/// partials of a tone that sways, the less they can be predicted: they look like noise, and copies filtered until they
/// are as noisy sound worse than mildly filtered ones.
///
/// Source of what decoders do with it: ISO/IEC 14496-3, 4.6.18.5 and 4.6.18.6.
final class SBRNoiseEstimator {
  /// What a decoder is told.
  struct Estimate {
    /// Noise relative to the sound, by noise band, in steps of 3 dB below 18 dB: 0 to 30.
    var levels: [Int]
    /// The same as a ratio of energies.
    var ratios: [Float] { levels.map { exp2f(Float(6 - $0)) } }
    /// `bs_invf_mode`, by noise band.
    var inverseFiltering: [Int]
    /// Whether each band of high resolution has a tone that its copy lacks.
    var harmonics: [Bool]
  }

  /// The part that prediction leaves of noise.
  private static let noiseShare: Float = 0.45
  /// The chirp factors of the modes that are used: no filter, and the mildest. Source: table 4.178.
  private static let chirps: [Float] = [0, 0.75]
  /// The part of noise in a band below which copies are not filtered: what a filter leaves of a pure tone is a matter
  /// of rounding, which differs from decoder to decoder.
  private static let leastFiltered: Float = 0.1
  /// How much of the original's noise is aimed for: copies, which come and go with the sound, are better than added
  /// noise, which is steady.
  private static let mostNoise: Float = 0.8
  /// No noise.
  private static let silent = 30

  private let bands: SBRBands
  /// The part of each subband that is noise, its energy in the frame, and how much of each copy is noise, by mode.
  private var original = [Float](repeating: 0, count: SBRBands.subbands)
  private var energies = [Float](repeating: 0, count: SBRBands.subbands)
  private var copies = [[Float]](repeating: [Float](repeating: 0, count: 32), count: chirps.count)
  private let filtered = SubbandSamples(bands: 1)
  /// Estimates of the frames before, which change slowly.
  private var smooth: [Float]

  init(bands: SBRBands) {
    self.bands = bands
    smooth = [Float](repeating: 0, count: bands.noise.count - 1)
  }

  /// Estimates for a frame.
  func estimate(_ subbands: SubbandSamples) -> Estimate {
    for band in bands.first..<(bands.first + bands.count) {
      unsafe (original[band], energies[band]) = (share(subbands.row(band)), subbands.row(band).energy(0..<32))
    }
    for band in 0..<min(bands.masterFirst, 32) {
      let row = unsafe subbands.row(band)
      let prediction = unsafe HighFrequencyGenerator.prediction(row)
      for (mode, chirp) in SBRNoiseEstimator.chirps.enumerated() {
        unsafe HighFrequencyGenerator.copy(row, to: filtered.row(0), prediction, chirp, 0..<38)
        unsafe copies[mode][band] = share(filtered.row(0))
      }
    }
    let parts = (0..<(bands.noise.count - 1)).map { noise(in: $0) }
    modes = parts.map { $0 < SBRNoiseEstimator.leastFiltered ? 0 : 1 }
    let levels = parts.enumerated().map { level($0, part: $1) }
    let found = (0..<(bands.high.count - 1)).map { isTone($0, subbands) }
    let harmonics = zip(found, candidates).map { $0 && $1 }
    candidates = found
    return Estimate(levels: levels, inverseFiltering: modes, harmonics: harmonics)
  }

  /// Bands with a tone in the frame before: what lasts no longer than a frame is none.
  private lazy var candidates = [Bool](repeating: false, count: bands.high.count - 1)

  /// Whether a band of high resolution has a tone where a decoder makes noise.
  private func isTone(_ band: Int, _ subbands: SubbandSamples) -> Bool {
    var (total, strongest, place) = (Float.ulpOfOne, Float(0), bands.high[band])
    var (copied, copiedNoise) = (Float.ulpOfOne, Float.ulpOfOne)
    for (target, source) in sources where (bands.high[band]..<bands.high[band + 1]).contains(target) {
      let energy = energies[target]
      total += energy
      if energy > strongest { (strongest, place) = (energy, target) }
      let weight = unsafe subbands.row(source).energy(0..<32) + 1
      copied += weight
      copiedNoise += weight * copies[mode(at: target)][source]
    }
    let limits = SBRNoiseEstimator.toneLimits
    guard strongest > limits.energy, strongest > limits.part * total else { return false }
    return original[place] < limits.noise && copiedNoise > limits.copied * copied
  }

  /// The limits from which on a band counts as a tone: the least energy of its strongest subband in a frame, the least
  /// share of that in the band's energy, the most noise in it, and the least noise in the copy.
  private static let toneLimits: (energy: Float, part: Float, noise: Float, copied: Float) = (128_000, 0.6, 0.1, 0.5)

  private func mode(at subband: Int) -> Int { modes[bands.noiseBand(of: subband)] }

  /// The mode of inverse filtering of each noise band in this frame.
  private var modes: [Int] = []

  /// The part of a noise band's energy that is noise.
  private func noise(in noiseBand: Int) -> Float {
    var (energy, noise) = (Float.ulpOfOne, Float.ulpOfOne)
    for (target, _) in sources where (bands.noise[noiseBand]..<bands.noise[noiseBand + 1]).contains(target) {
      let weight = energies[target] + 1
      energy += weight
      noise += weight * original[target]
    }
    return min(noise / energy, 1)
  }

  /// The noise-floor step for a noise band. `part` is the share of its energy that is noise, 0 to 1.
  private func level(_ noiseBand: Int, part: Float) -> Int {
    var (energy, copied) = (Float.ulpOfOne, Float(0))
    for (target, source) in sources where (bands.noise[noiseBand]..<bands.noise[noiseBand + 1]).contains(target) {
      let weight = energies[target] + 1
      energy += weight
      copied += weight * copies[modes[noiseBand]][source]
    }
    let (wanted, present) = (SBRNoiseEstimator.mostNoise * part, min(copied / energy, 0.999))
    let missing = max((wanted - present) / (1 - present), 0)
    smooth[noiseBand] += 0.5 * (missing - smooth[noiseBand])
    let added = smooth[noiseBand]
    guard added > 1e-6 else { return SBRNoiseEstimator.silent }
    return min(max(Int((6 - log2f(added / (1 - added))).rounded()), 0), SBRNoiseEstimator.silent)
  }

  /// Which low subband each generated one is copied from.
  private lazy var sources: [(target: Int, source: Int)] = {
    var (target, result) = (bands.first, [(target: Int, source: Int)]())
    for patch in bands.patches {
      for source in patch.source..<(patch.source + patch.count) {
        if target < bands.first + bands.count, source < min(bands.masterFirst, 32) { result.append((target, source)) }
        target += 1
      }
    }
    return result
  }()

  /// The part of a subband that is noise: 1 for noise alone.
  private func share(_ row: SubbandRow) -> Float {
    let prediction = unsafe HighFrequencyGenerator.prediction(row)
    unsafe HighFrequencyGenerator.copy(row, to: residual.row(0), prediction, 1, 0..<38)
    let energy = unsafe row.energy(2..<38)
    guard energy > 1 else { return 1 }
    return unsafe min(residual.row(0).energy(0..<36) / energy / SBRNoiseEstimator.noiseShare, 1)
  }

  private let residual = SubbandSamples(bands: 1)
}
