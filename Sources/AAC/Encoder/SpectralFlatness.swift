/// How evenly energy is spread over lines: noise is even; a tone has most of its energy in a few lines.
///
/// It is the mean of the lines' logarithms less the logarithm of their mean, both binary: 0 if all lines have the same
/// energy, and the lower the more uneven they are.
struct SpectralFlatness {
  private var sum: Float = 0
  private var logarithms: Float = 0
  private var count: Float = 0

  /// Counts a line.
  @inline(__always)
  mutating func add(_ energy: Float) {
    sum += energy
    logarithms += SpectralFlatness.logarithm(energy)
    count += 1
  }

  /// The flatness, 0 or less. At least one line must have been added.
  var value: Float { logarithms / count - SpectralFlatness.logarithm(sum / count) }

  /// The energy of a line, whatever its phase: the difference of its neighbours stands for what the phase hides.
  ///
  /// For noise it is distributed like the energy of a complex spectrum. It is at least 1, a 16-bit step, so that
  /// silence is even.
  @inline(__always)
  static func energy(_ line: Float, before: Float, after: Float) -> Float {
    let difference = after - before
    return line * line + 0.5 * difference * difference + 1
  }

  /// The binary logarithm to a twelfth: a float's bits, taken as a number, have the exponent above the fraction.
  @inline(__always)
  static func logarithm(_ x: Float) -> Float { Float(x.bitPattern) * 0x1p-23 - 127 }
}
