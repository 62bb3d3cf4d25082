#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Mixes a channel and its decorrelated copy into left and right, in each band as its parameters say.
///
/// `left = h11 sound + h21 copy`, `right = h12 sound + h22 copy`; from one envelope to the next, factors change
/// linearly. They are complex where there are phases.
///
/// Source: ISO/IEC 14496-3, 8.6.4.6.
final class PSMixer {
  /// Factors of an envelope's bands: h11, h12, h21 and h22, real and imaginary parts.
  private struct Factors {
    var real = [SIMD4<Float>](repeating: .zero, count: PSParameters.room)
    var imaginary = [SIMD4<Float>](repeating: .zero, count: PSParameters.room)
  }

  /// The last envelope of the frame before, then those of this one.
  private var factors = [Factors()]
  /// The last two steps of the phases of each band, six bits: smoothing needs them.
  private var phases = [Int](repeating: 0, count: PSParameters.room)
  private var overallPhases = [Int](repeating: 0, count: PSParameters.room)

  /// Forgets the past.
  func reset() {
    factors = [Factors()]
    resetPhases()
  }

  private func resetPhases() {
    for band in phases.indices { (phases[band], overallPhases[band]) = (0, 0) }
  }

  /// Mixes a frame in place.
  ///
  /// - Parameters:
  ///   - left: the sound, which becomes the left channel.
  ///   - right: its copy, which becomes the right one.
  ///   - parameters: the frame's.
  ///   - map: how many bands there are.
  ///   - isNew: whether the frame before had another number of bands.
  func mix(_ left: SubbandSamples, _ right: SubbandSamples, _ parameters: PSParameters, _ map: PSBandMap, isNew: Bool) {
    precondition(left.bands >= map.count && right.bands >= map.count)
    factors = [factors[factors.count - 1]]
    if isNew { convert(to: map) }
    for envelope in 0..<parameters.count { factors.append(makeFactors(parameters, envelope, map)) }
    for envelope in 0..<parameters.count {
      let slots = parameters.borders[envelope] + 1..<parameters.borders[envelope + 1] + 1
      guard !slots.isEmpty else { continue }
      let (from, to) = (factors[envelope], factors[envelope + 1])
      for subband in 0..<map.count {
        let (l, r) = unsafe (left.row(subband), right.row(subband))
        let path = Path(from, to, map.band[subband], count: slots.count, isConjugated: map.conjugated ~= subband)
        if parameters.phase.isEnabled {
          unsafe mixComplex(l, r, slots, path)
        } else {
          unsafe mixReal(l, r, slots, path)
        }
      }
    }
  }

  /// The factors before an envelope's first slot, and how they change in a slot.
  private struct Path {
    let real: SIMD4<Float>
    let realStep: SIMD4<Float>
    let imaginary: SIMD4<Float>
    let imaginaryStep: SIMD4<Float>

    init(_ from: Factors, _ to: Factors, _ band: Int, count: Int, isConjugated: Bool) {
      let width = 1 / Float(count)
      let sign: Float = isConjugated ? -1 : 1
      (real, realStep) = (from.real[band], (to.real[band] - from.real[band]) * width)
      (imaginary, imaginaryStep) = (
        from.imaginary[band] * sign, (to.imaginary[band] - from.imaginary[band]) * (width * sign)
      )
    }
  }

  /// Slots 0 to 31 of both rows exist, and three more, so that the last four may reach beyond the envelope: what lies
  /// there stays.
  private func mixReal(_ l: SubbandRow, _ r: SubbandRow, _ slots: Range<Int>, _ path: Path) {
    var number = SIMD4<Float>(1, 2, 3, 4)
    for slot in stride(from: slots.lowerBound, to: slots.upperBound, by: 4) {
      let (h11, h12) = (path.real.x + number * path.realStep.x, path.real.y + number * path.realStep.y)
      let (h21, h22) = (path.real.z + number * path.realStep.z, path.real.w + number * path.realStep.w)
      let isBeyond = number .> Float(slots.count)
      unsafe PSMixer.mix(l.real, r.real, slot, isBeyond) { ($0 * h11 + $1 * h21, $0 * h12 + $1 * h22) }
      unsafe PSMixer.mix(l.imaginary, r.imaginary, slot, isBeyond) { ($0 * h11 + $1 * h21, $0 * h12 + $1 * h22) }
      number += 4
    }
  }

  /// Replaces four slots of both rows, but those that are beyond the envelope.
  @inline(__always)
  private static func mix(
    _ l: UnsafeMutablePointer<Float>, _ r: UnsafeMutablePointer<Float>, _ slot: Int, _ isBeyond: SIMDMask<SIMD4<Int32>>,
    _ body: (SIMD4<Float>, SIMD4<Float>) -> (SIMD4<Float>, SIMD4<Float>)
  ) {
    let (sound, copy) = unsafe (l.vector(slot), r.vector(slot))
    let (left, right) = body(sound, copy)
    unsafe l.store(left.replacing(with: sound, where: isBeyond), slot)
    unsafe r.store(right.replacing(with: copy, where: isBeyond), slot)
  }

  private func mixComplex(_ l: SubbandRow, _ r: SubbandRow, _ slots: Range<Int>, _ path: Path) {
    var (h, g) = (path.real, path.imaginary)
    for slot in slots {
      h += path.realStep
      g += path.imaginaryStep
      let sound = unsafe SIMD2(l.real[slot], l.imaginary[slot])
      let copy = unsafe SIMD2(r.real[slot], r.imaginary[slot])
      // Times i.
      let (turned, turnedCopy) = (SIMD2(-sound.y, sound.x), SIMD2(-copy.y, copy.x))
      let left = sound * h.x + copy * h.z + turned * g.x + turnedCopy * g.z
      let right = sound * h.y + copy * h.w + turned * g.y + turnedCopy * g.w
      unsafe (l.real[slot], l.imaginary[slot]) = (left.x, left.y)
      unsafe (r.real[slot], r.imaginary[slot]) = (right.x, right.y)
    }
  }

  // MARK: Factors: 8.6.4.6.2

  private func convert(to map: PSBandMap) {
    resetPhases()
    let from = factors[0]
    for part in 0..<4 {
      for (band, value) in map.factors(from.real.map { $0[part] }).enumerated() { factors[0].real[band][part] = value }
      for (band, value) in map.factors(from.imaginary.map { $0[part] }).enumerated() {
        factors[0].imaginary[band][part] = value
      }
    }
  }

  private func makeFactors(_ parameters: PSParameters, _ envelope: Int, _ map: PSBandMap) -> Factors {
    let intensity = map.steps(parameters.intensity.row(envelope))
    let coherence = map.steps(parameters.coherence.row(envelope))
    let phase = map.steps(parameters.phase.row(envelope))
    let overall = map.steps(parameters.overallPhase.row(envelope))
    func step(_ row: [Int], _ band: Int) -> Int { row.indices.contains(band) ? row[band] : 0 }
    var result = Factors()
    for band in 0..<map.bands {
      let factors = PSMatrices.factors(
        intensity: step(intensity, band), coherence: step(coherence, band), isFine: parameters.isFine,
        isRotated: parameters.isRotated)
      result.real[band] = factors
      guard parameters.phase.isEnabled, band < map.phaseBands else { continue }
      let left = PSMixer.smoothed(&overallPhases[band], step(overall, band))
      let between = PSMixer.smoothed(&phases[band], step(phase, band))
      // The right channel's phase is the whole's minus the difference.
      let right = SIMD2(left.x * between.x + left.y * between.y, left.y * between.x - left.x * between.y)
      result.real[band] = factors * SIMD4(left.x, right.x, left.x, right.x)
      result.imaginary[band] = factors * SIMD4(left.y, right.y, left.y, right.y)
    }
    return result
  }

  /// A phase as a complex number of magnitude 1, averaged with the two before it: 8.6.4.6.3.
  private static func smoothed(_ history: inout Int, _ step: Int) -> SIMD2<Float> {
    func unit(_ step: Int) -> SIMD2<Float> {
      let angle = Float(step & 7) * (.pi / 4)
      return SIMD2(cos(angle), sin(angle))
    }
    let sum = unit(history >> 3) * 0.25 + unit(history) * 0.5 + unit(step)
    history = (history << 3 | step) & 63
    return sum / (sum * sum).sum().squareRoot()
  }
}

/// The factors for each step of intensity difference and coherence.
///
/// Source: ISO/IEC 14496-3, 8.6.4.6.2, tables 8.28 to 8.31.
enum PSMatrices {
  /// Steps of intensity differences from 1 on, in dB.
  static let coarse: [Float] = [2, 4, 7, 10, 14, 18, 25]
  static let fine: [Float] = [2, 4, 6, 8, 10, 13, 16, 19, 22, 25, 30, 35, 40, 45, 50]
  /// Steps of coherence.
  static let coherences: [Float] = [1, 0.937, 0.84118, 0.60092, 0.36764, 0, -0.589, -1]

  /// h11, h12, h21 and h22.
  static func factors(intensity: Int, coherence: Int, isFine: Bool, isRotated: Bool) -> SIMD4<Float> {
    let largest = isFine ? 15 : 7
    let row = (min(max(intensity, -largest), largest) + largest) * 8 + min(max(coherence, 0), 7)
    return isRotated ? (isFine ? rotatedFine : rotatedCoarse)[row] : (isFine ? plainFine : plainCoarse)[row]
  }

  private static let plainCoarse = table(coarse, plain)
  private static let plainFine = table(fine, plain)
  private static let rotatedCoarse = table(coarse, rotated)
  private static let rotatedFine = table(fine, rotated)

  private static func table(_ decibels: [Float], _ matrix: (Double, Double) -> SIMD4<Double>) -> [SIMD4<Float>] {
    (decibels.reversed().map { -$0 } + [0] + decibels).flatMap { decibels in
      coherences.map { SIMD4<Float>(matrix(pow(10, Double(decibels) / 20), Double($0))) }
    }
  }

  /// Procedure A: the copy is added to both channels with opposite signs.
  private static func plain(_ ratio: Double, _ coherence: Double) -> SIMD4<Double> {
    let right = (2 / (1 + ratio * ratio)).squareRoot()
    let left = ratio * right
    let alpha = 0.5 * acos(coherence)
    let beta = alpha * (right - left) / 2.0.squareRoot()
    return SIMD4(
      left * cos(beta + alpha), right * cos(beta - alpha), left * sin(beta + alpha), right * sin(beta - alpha))
  }

  /// Procedure B: sound and copy are rotated to the main axis of both channels.
  private static func rotated(_ ratio: Double, _ coherence: Double) -> SIMD4<Double> {
    let coherence = max(coherence, 0.05)
    var alpha = 0.5 * atan2(2 * ratio * coherence, ratio * ratio - 1)
    if alpha < 0 { alpha += .pi / 2 }
    let sum = ratio + 1 / ratio
    let mu = (1 + (4 * coherence * coherence - 4) / (sum * sum)).squareRoot()
    let gamma = atan(((1 - mu) / (1 + mu)).squareRoot())
    let scale = 2.0.squareRoot()
    return SIMD4(
      scale * cos(alpha) * cos(gamma), scale * sin(alpha) * cos(gamma), -scale * sin(alpha) * sin(gamma),
      scale * cos(alpha) * sin(gamma))
  }
}
