#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Finds bands that are noise, for which it is enough to send the energy: perceptual noise substitution (PNS).
///
/// One noise sounds like another of the same energy if it has no tones, which `SpectralFlatness` shows, and if it is
/// steady, which the energies from the search for attacks show. There is no sharp line between noise and tones: the less
/// even a band is, the more noise in its place counts, and the search weighs that against the bits of its lines.
///
/// Decoders make different noise each time they start, so after a seek or a cut a stream no longer decodes to the same
/// samples. So noise is substituted below 64 kb/s for one channel, its usual rate at 44.1 and 48 kHz; and for more
/// channels only below 40 kb/s each, as the two of a pair seldom differ enough to have noise of their own.
///
/// Source: ISO/IEC 14496-3, 4.6.13.
final class NoiseFinder {
  /// Noise is substituted below so many bits a second for each channel.
  static func highestBitRate(channels: Int) -> Double { channels == 1 ? 64_000 : 40_000 }
  /// Noise sounds like noise from this frequency on, in Hz; below, the ear follows single periods.
  private static let lowestFrequency = 5500
  /// Bands that are at least this flat are noise, which has some -0.9.
  private static let flatnessOfNoise: Float = -1.5
  /// Bands that are no flatter than this are never replaced. A tone beside softer sound has some -3, so that its band
  /// may be, at a high cost; tones alone are less flat than this.
  private static let leastFlatness: Float = -4
  /// The most energy of an eighth of the frame, relative to the mean.
  private static let largestSwing: Float = 3
  /// The weight of noise that is substituted for noise, relative to that of noise of the same energy which is added to
  /// the sound. It doubles with each step of 1 by which a band is less flat than noise is.
  private static let share: Float = 0.5

  private let first: Int
  private let flatness = AlignedMemory<Float>(FrameLayout.largestBandCount)
  private var isContinued = false

  init(bands: ScalefactorBands, sampleRate: Int, isEnabled: Bool) {
    let first = bands.offsets.firstIndex { Int($0) * sampleRate >= NoiseFinder.lowestFrequency * 2048 }
    self.first = isEnabled ? first ?? bands.count : bands.count
  }

  /// Says for each band how much substituting noise for it counts, relative to its energy: infinitely if it is not
  /// noise.
  func find(_ spectrum: ChannelSpectrum, _ layout: FrameLayout, blockEnergies: AlignedMemory<Float>) {
    spectrum.substitution.all.update(repeating: .infinity, count: layout.bandCount)
    guard layout.sequence == .onlyLong, first < layout.bandCount else {
      isContinued = false
      return
    }
    var (sum, largest): (Float, Float) = (1, 1)
    for block in 0..<8 {
      sum += blockEnergies[block]
      largest = max(largest, blockEnergies[block])
    }
    let isSteady = 8 * largest < NoiseFinder.largestSwing * sum
    for band in first..<layout.bandCount {
      let now = flatness(spectrum.lines, layout.offsets[band]..<layout.offsets[band + 1])
      let mean = 0.5 * (now + flatness[band])
      flatness[band] = now
      guard isSteady, isContinued, mean > NoiseFinder.leastFlatness else { continue }
      spectrum.substitution[band] = NoiseFinder.share * exp2f(max(0, NoiseFinder.flatnessOfNoise - mean))
    }
    isContinued = true
  }

  private func flatness(_ lines: AlignedMemory<Float>, _ range: Range<Int>) -> Float {
    let range = max(1, range.lowerBound)..<min(range.upperBound, 1023)
    let lines = unsafe lines.pointer(at: range.lowerBound - 1, count: range.count + 2)
    var flatness = SpectralFlatness()
    for index in 1...range.count {
      unsafe flatness.add(SpectralFlatness.energy(lines[index], before: lines[index - 1], after: lines[index + 1]))
    }
    return flatness.value
  }
}
