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
  /// Energy of each band.
  let energies = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// Sum of the roots of the magnitudes, which indicates how coarse steps are on average, and the largest power.
  let roots = AlignedMemory<Float>(FrameLayout.largestBandCount)
  let peaks = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// How much noise in place of each band counts, relative to the band's energy: infinitely if the band is not noise.
  let substitution = AlignedMemory<Float>(FrameLayout.largestBandCount)
  /// Energy of the noise in place of each band that is substituted, in steps of 1.5 dB.
  let noiseLevels = AlignedMemory<Int32>(FrameLayout.largestBandCount)
  /// The choice for each band; see `Codebook` for values that are not books.
  let scalefactors = AlignedMemory<Int32>(FrameLayout.largestBandCount)
  let books = AlignedMemory<Int32>(FrameLayout.largestBandCount)

  /// Stands for a scalefactor: the band is left out.
  static let empty: Int32 = -1
  /// Stands for a scalefactor: noise takes the band's place.
  static let noise: Int32 = -2

  /// Sets the level of noise in each band that is noise: the band's energy. Levels are sent as differences of 60 at most.
  func levelNoise(_ layout: FrameLayout) {
    var last: Int32?
    for band in 0..<layout.bandCount where scalefactors[band] == ChannelSpectrum.noise {
      let level = Int32((2 * log2f(max(energies[band], 1))).rounded())
      noiseLevels[band] = last.map { min(max(level, $0 - 60), $0 + 60) } ?? level
      last = noiseLevels[band]
    }
  }

  /// Energy of the lines of a band: whole vectors, which are checked to exist.
  func energy(_ range: Range<Int>) -> Float {
    precondition(range.lowerBound >= 0 && range.upperBound <= lines.count)
    precondition((range.lowerBound | range.upperBound) & 3 == 0)
    var sum = SIMD4<Float>()
    let lines = unsafe lines.start
    var at = range.lowerBound
    while at < range.upperBound {
      let x = unsafe UnsafeRawPointer(lines + at).loadUnaligned(as: SIMD4<Float>.self)
      sum += x * x
      at &+= 4
    }
    return sum.total
  }

  /// Measures the lines of a frame, once they are known.
  ///
  /// Bands are whole vectors, one after another; that there is room for the last one is checked.
  ///
  /// Four lines at a time, each in variables of its own: the compiler makes vectors of them, but not of roots of vectors.
  func prepare(_ layout: FrameLayout) {
    precondition(layout.bandCount <= energies.count && layout.offsets[layout.bandCount] <= self.lines.count)
    let (lines, powers) = unsafe (lines.start, powers.start)
    var at = 0
    for band in 0..<layout.bandCount {
      let end = layout.offsets[band + 1]
      var (energy0, energy1, energy2, energy3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      var (root0, root1, root2, root3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      var (peak0, peak1, peak2, peak3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      while at < end {
        let (a, b) = unsafe (ChannelSpectrum.magnitude(lines[at]), ChannelSpectrum.magnitude(lines[at &+ 1]))
        let (c, d) = unsafe (ChannelSpectrum.magnitude(lines[at &+ 2]), ChannelSpectrum.magnitude(lines[at &+ 3]))
        let (r0, r1, r2, r3) = (a.squareRoot(), b.squareRoot(), c.squareRoot(), d.squareRoot())
        let (p0, p1) = ((a * r0).squareRoot(), (b * r1).squareRoot())
        let (p2, p3) = ((c * r2).squareRoot(), (d * r3).squareRoot())
        unsafe (powers[at], powers[at &+ 1], powers[at &+ 2], powers[at &+ 3]) = (p0, p1, p2, p3)
        energy0 += a * a
        energy1 += b * b
        energy2 += c * c
        energy3 += d * d
        root0 += r0
        root1 += r1
        root2 += r2
        root3 += r3
        if p0 > peak0 { peak0 = p0 }
        if p1 > peak1 { peak1 = p1 }
        if p2 > peak2 { peak2 = p2 }
        if p3 > peak3 { peak3 = p3 }
        at &+= 4
      }
      unsafe energies.start[band] = energy0 + energy1 + energy2 + energy3
      unsafe roots.start[band] = root0 + root1 + root2 + root3
      unsafe peaks.start[band] = max(max(peak0, peak1), max(peak2, peak3))
    }
  }

  /// Like `abs`, which is a call without optimisation.
  @inline(__always)
  private static func magnitude(_ line: Float) -> Float { Float(bitPattern: line.bitPattern & 0x7FFF_FFFF) }
}

extension FrameLayout {
  /// The most bands in a frame: eight groups of fifteen short bands.
  static let largestBandCount = 120
}
