/// How much of a frame's tones a long window spreads into bands where the sound has nothing.
///
/// A window is only two frames long, so a tone is not in one line: the energy in a line `d` lines away is some `1 / (32
/// d^4)` of the tone's with sine slopes, and less with Kaiser-Bessel ones. It is no sound of its own: leaving it out is
/// heard as little as coding it badly, as long as it is masked.
final class WindowLeakage {
  /// The estimate takes each band's energy to be in its middle; the tone may be anywhere in it. So several times the
  /// estimate may be leakage.
  private static let margin: Float = 16
  /// Room for the bands of a long window, 51 at most, in whole vectors.
  static let rowLength = 56

  /// For each band, the part of the energy of each other band that leaks into it, times the margin.
  private let parts: AlignedMemory<Float>

  init(bands: ScalefactorBands) {
    parts = AlignedMemory(WindowLeakage.rowLength * bands.count)
    let middles = zip(bands.offsets, bands.offsets.dropFirst()).map { Float($0 + $1) / 2 }
    for band in 0..<bands.count {
      let width = Float(bands.offsets[band + 1] - bands.offsets[band])
      // Neighbours are too close to tell.
      for other in 0..<bands.count where abs(other - band) > 1 {
        let square = (middles[other] - middles[band]) * (middles[other] - middles[band])
        parts[band * WindowLeakage.rowLength + other] = WindowLeakage.margin * width / (32 * square * square)
      }
    }
  }

  /// The most energy in a band that may have leaked from others.
  ///
  /// - Parameter energies: those of all bands, with zeros after them up to `rowLength`.
  func energy(in band: Int, energies: AlignedMemory<Float>) -> Float {
    let (row, count) = (band * WindowLeakage.rowLength, WindowLeakage.rowLength)
    let (parts, energies) = unsafe (parts.from(row).vectors(count: count), energies.from(0).vectors(count: count))
    var sum = SIMD4<Float>()
    var index = 0
    while index < count / 4 {
      unsafe sum += parts[index] * energies[index]
      index &+= 1
    }
    return sum.total
  }
}
