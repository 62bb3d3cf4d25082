#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The coded data of one channel in one frame: its lines in the order of transmission, and the weight of noise in each
/// band.
final class ChannelSpectrum {
  /// The lines.
  let lines = AlignedMemory<Float>(1024)
  /// Their magnitudes to the power of 3/4, which is what is quantised.
  let powers = AlignedMemory<Float>(1024)
  /// The quantised lines.
  let quantised = AlignedMemory<Int32>(1024)
  /// The weight of a unit of noise energy in each band.
  let weights = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// The weight of each band's energy if the band is left out, relative to noise of the same energy.
  let holes = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// Energy of each band.
  let energies = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// Sum of the roots of the magnitudes, which indicates how coarse steps are on average, and the largest power.
  let roots = AlignedMemory<Float>(FrameLayout.largestBandCount)
  let peaks = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// How much noise in place of each band counts, relative to the band's energy: infinitely if the band is not noise.
  let substitution = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// Energy of the noise in place of each band that is substituted, in steps of 1.5 dB.
  let noiseLevels = AlignedMemory<Int32>(FrameLayout.largestBandCount)
  /// In the second channel of a pair: how much softer each band is than the first channel's, in steps of 1.5 dB, where
  /// it is a multiple of that; elsewhere `noPosition`.
  let positions = AlignedMemory<Int32>(FrameLayout.largestBandCount)
  /// Whether it is upside down in such a band.
  let isOpposite = AlignedMemory<Bool>(FrameLayout.largestBandCount)
  /// The choice for each band; see `Codebook` for values that are not books.
  let scalefactors = AlignedMemory<Int32>(FrameLayout.largestBandCount)
  let books = AlignedMemory<Int32>(FrameLayout.largestBandCount)

  /// Stands for a scalefactor: the band is left out.
  static let empty: Int32 = -1
  /// Stands for a scalefactor: noise takes the band's place.
  static let noise: Int32 = -2

  /// Stand for a scalefactor: the band is a multiple of the first channel's, as it is or upside down.
  static let intensity: Int32 = -3
  static let intensityOutOfPhase: Int32 = -4
  /// Stands for a position: the band is not a multiple of the first channel's.
  static let noPosition: Int32 = -1000

  init() {
    positions.all.update(repeating: ChannelSpectrum.noPosition, count: positions.count)
  }

  /// Marks the bands that are multiples of the first channel's; their lines are 0, so that nothing else was chosen.
  func placeIntensity(_ layout: FrameLayout) {
    for band in 0..<layout.bandCount where positions[band] != ChannelSpectrum.noPosition {
      scalefactors[band] = isOpposite[band] ? ChannelSpectrum.intensityOutOfPhase : ChannelSpectrum.intensity
    }
  }

  /// Sets the level of noise in each band that is noise: the band's energy. Levels are sent as differences of 60 at
  /// most.
  func levelNoise(_ layout: FrameLayout) {
    var last: Int32?
    for band in 0..<layout.bandCount where scalefactors[band] == ChannelSpectrum.noise {
      let level = Int32((2 * log2f(max(energies[band], 1))).rounded())
      noiseLevels[band] = last.map { min(max(level, $0 - 60), $0 + 60) } ?? level
      last = noiseLevels[band]
    }
  }

  /// Measures the lines of a frame, once they are known.
  ///
  /// Bands are whole vectors, one after another; that there is room for the last one is checked.
  func prepare(_ layout: FrameLayout) {
    precondition(layout.bandCount <= energies.count && layout.offsets[layout.bandCount] <= self.lines.count)
    let (lines, powers) = unsafe (lines.vectors, powers.vectors)
    let withoutSign = SIMD4<UInt32>(repeating: 0x7FFF_FFFF)
    var vector = 0
    for band in 0..<layout.bandCount {
      let end = layout.offsets[band + 1] >> 2
      var (energy, root, peak) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
      while vector < end {
        let magnitude = unsafe SIMD4<Float>(lines[vector].words & withoutSign)
        let inverse = ChannelSpectrum.inverseFourthRoot(magnitude)
        let power = magnitude * inverse
        unsafe powers[vector] = power
        energy += magnitude * magnitude
        root += power * inverse
        peak.replace(with: power, where: power .> peak)
        vector &+= 1
      }
      unsafe energies.start[band] = energy.total
      unsafe roots.start[band] = root.total
      unsafe peaks.start[band] = peak.largest
    }
  }

  /// `x^(-1/4)` to the precision of a float, of numbers that are not negative; finite for 0.
  ///
  /// A number's bits are roughly its logarithm: a quarter of them, subtracted, is a guess that is a few percent off,
  /// and each of Newton's steps squares the error. Roots of vectors would be taken one by one.
  @inline(__always)
  private static func inverseFourthRoot(_ x: SIMD4<Float>) -> SIMD4<Float> {
    var y = SIMD4<Float>(SIMD4(repeating: 0x4F58_0000) &- (x.words &>> SIMD4(repeating: 2)))
    for _ in 0..<3 {
      let square = y * y
      y *= 1.25 - 0.25 * (x * square) * square
    }
    return y
  }
}

extension FrameLayout {
  /// The most bands in a frame: eight groups of fifteen short bands.
  static let largestBandCount = 120
}
