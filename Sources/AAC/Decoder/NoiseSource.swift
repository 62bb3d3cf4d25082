/// Noise for bands whose lines were not coded, only their energy (perceptual noise substitution).
///
/// Any generator will do. This one, from "Numerical Recipes", is as cheap as possible, and starts with the same state
/// as ffmpeg's: the same stream always decodes to the same samples, and in both decoders.
///
/// Source: ISO/IEC 14496-3, 4.6.13.
struct NoiseSource {
  private var state: UInt32 = 0x1F2E_3D4C

  /// Fills a band with noise whose squares add up to `amplitude` squared.
  mutating func fill(_ spectrum: AlignedMemory<Float>, from first: Int, count: Int, amplitude: Float) {
    let lines = unsafe spectrum.pointer(at: first, count: count)
    var energy: Float = 0
    for line in 0..<count {
      state = state &* 1_664_525 &+ 1_013_904_223
      let value = Float(Int32(bitPattern: state))
      unsafe lines[line] = value
      energy += value * value
    }
    let scale = energy > 0 ? amplitude / energy.squareRoot() : 0
    for line in 0..<count { unsafe lines[line] *= scale }
  }
}
