#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Makes, from one channel, a second one that sounds alike and has nothing in common with it: reverberation of a few
/// milliseconds, less of it right after attacks.
///
/// Low subbands pass three all-pass filters in a row, each a delay with feedback that turns the phase; higher ones are
/// delayed.
///
/// Source: ISO/IEC 14496-3, 8.6.4.5.
final class PSDecorrelator {
  /// Slots of the longest delay.
  private static let history = 14
  private static let slots = 32 + history
  /// Slots that the filters' states are kept for.
  private static let linkHistory = 5
  private static let linkSlots = 32 + linkHistory
  private static let maximumBands = 91
  private static let maximumAllpass = 52
  /// More than any sound has: full scale is 2^30.
  private static let largestPower: Float = 1e30

  /// A complex number of each of four subbands.
  private struct Complex {
    var real = SIMD4<Float>.zero
    var imaginary = SIMD4<Float>.zero
  }

  /// The factors of four subbands' filters.
  private struct Allpass {
    let turn: Complex
    let links: (Link, Link, Link)

    /// One filter.
    struct Link {
      let turn: Complex
      let feedback: SIMD4<Float>
    }
  }

  /// Follows the power of four parameter bands from slot to slot.
  fileprivate struct Attacks {
    /// The peak, which decays.
    var peak = SIMD4<Float>.zero
    /// The power, smoothed.
    var power = SIMD4<Float>.zero
    /// How far it is below the peak, smoothed.
    var fall = SIMD4<Float>.zero
  }

  /// The input, delayed: rows of `slots`.
  private let delayed = (
    real: AlignedMemory<Float>(maximumBands * slots), imaginary: AlignedMemory<Float>(maximumBands * slots)
  )
  /// The filters' states, four subbands side by side: three rows of `linkSlots` for each four.
  private let links = (
    real: AlignedMemory<Float>(maximumAllpass * 3 * linkSlots),
    imaginary: AlignedMemory<Float>(maximumAllpass * 3 * linkSlots)
  )
  /// The power by parameter band and slot, and how much of the copy is heard. Four bands are measured at once.
  private let power = AlignedMemory<Float>((PSParameters.room + 3) / 4 * 4 * 32)
  private let ducking = AlignedMemory<Float>((PSParameters.room + 3) / 4 * 4 * 32)
  /// For each four parameter bands.
  private var attacks = [Attacks](repeating: Attacks(), count: (PSParameters.room + 3) / 4)

  private static let few = factors(.few)
  private static let many = factors(.many)

  private static func factors(_ map: PSBandMap) -> [Allpass] {
    stride(from: 0, to: map.allpassEnd, by: 4).map { first in
      func turn(_ delay: Double) -> Complex {
        var factor = Complex()
        for lane in 0..<min(4, map.count - first) {
          let angle = .pi * delay * Double(map.centre(first + lane))
          (factor.real[lane], factor.imaginary[lane]) = (Float(cos(angle)), Float(-sin(angle)))
        }
        return factor
      }
      let subbands = SIMD4<Float>(0, 1, 2, 3) + Float(first)
      let slope = (1 - 0.05 * (subbands - Float(map.hybrids))).clamped(lowerBound: .zero, upperBound: .one)
      return Allpass(
        turn: turn(0.39),
        links: (
          Allpass.Link(turn: turn(0.43), feedback: 0.65143905753106 * slope),
          Allpass.Link(turn: turn(0.75), feedback: 0.56471812200776 * slope),
          Allpass.Link(turn: turn(0.347), feedback: 0.48954165955695 * slope)
        ))
    }
  }

  /// Forgets the past.
  func reset() {
    delayed.real.clear()
    delayed.imaginary.clear()
    links.real.clear()
    links.imaginary.clear()
    for group in attacks.indices { attacks[group] = Attacks() }
  }

  /// Decorrelates a frame.
  ///
  /// - Parameters:
  ///   - source: the map's subbands, slots 0 to 31.
  ///   - map: how many bands there are.
  ///   - end: subbands from here on have been silent.
  ///   - target: gets the other channel.
  func decorrelate(_ source: SubbandSamples, _ map: PSBandMap, end: Int, to target: SubbandSamples) {
    precondition(source.bands >= map.count && target.bands >= map.count)
    silence(from: end, map)
    measure(source, map)
    // The filters would keep what is infinite or not a number for ever.
    guard (0..<(map.bands * 32)).allSatisfy({ power[$0] < PSDecorrelator.largestPower }) else {
      reset()
      return target.clear()
    }
    detectAttacks(map)
    let factors = map.bands == 20 ? PSDecorrelator.few : PSDecorrelator.many
    for subband in 0..<map.count { store(source, subband) }
    for (group, factors) in factors.enumerated() { filter(4 * group, factors, map, to: target) }
    for subband in map.allpassEnd..<map.count {
      let line = unsafe delayLine(subband).advanced(by: PSDecorrelator.history - (subband < map.longDelayEnd ? 14 : 1))
      let (row, gains) = unsafe (target.row(subband), ducking.pointer(at: map.band[subband] * 32, count: 32))
      for slot in stride(from: 0, to: 32, by: 4) {
        let gain = unsafe gains.vector(slot)
        unsafe row.real.store(line.real.vector(slot) * gain, slot)
        unsafe row.imaginary.store(line.imaginary.vector(slot) * gain, slot)
      }
    }
  }

  private func silence(from end: Int, _ map: PSBandMap) {
    let (end, length) = (min(max(end, 0), map.count), PSDecorrelator.slots)
    delayed.real.from(end * length).update(repeating: 0, count: (map.count - end) * length)
    delayed.imaginary.from(end * length).update(repeating: 0, count: (map.count - end) * length)
    guard end < map.allpassEnd else { return }
    for subband in end..<map.allpassEnd {
      let first = subband & ~3 * 3 * PSDecorrelator.linkSlots + subband & 3
      for state in stride(from: first, to: first + 4 * 3 * PSDecorrelator.linkSlots, by: 4) {
        (links.real[state], links.imaginary[state]) = (0, 0)
      }
    }
  }

  /// A subband's delay line: `slots` of them.
  private func delayLine(_ subband: Int) -> SubbandRow {
    let (first, count) = (subband * PSDecorrelator.slots, PSDecorrelator.slots)
    return unsafe SubbandRow(
      real: delayed.real.pointer(at: first, count: count), imaginary: delayed.imaginary.pointer(at: first, count: count)
    )
  }

  /// Appends a subband's frame to its delay line.
  private func store(_ source: SubbandSamples, _ subband: Int) {
    let line = unsafe delayLine(subband)
    unsafe line.copy(line, from: 32, count: PSDecorrelator.history)
    unsafe line.advanced(by: PSDecorrelator.history).copy(source.row(subband), count: 32)
  }

  // MARK: Attacks: 8.6.4.5.3

  /// The power of each parameter band, by slot.
  private func measure(_ source: SubbandSamples, _ map: PSBandMap) {
    power.clear()
    for subband in 0..<map.count {
      let row = unsafe source.row(subband)
      let sums = unsafe power.pointer(at: map.band[subband] * 32, count: 32)
      for slot in stride(from: 0, to: 32, by: 4) {
        let (r, i) = unsafe (row.real.vector(slot), row.imaginary.vector(slot))
        unsafe sums.store(sums.vector(slot) + r * r + i * i, slot)
      }
    }
  }

  /// How much of the reverberation is heard, by parameter band and slot: less when the power falls from a peak.
  private func detectAttacks(_ map: PSBandMap) {
    for group in 0..<((map.bands + 3) / 4) {
      let power = unsafe power.pointer(at: group * 4 * 32, count: 4 * 32)
      let ducking = unsafe ducking.pointer(at: group * 4 * 32, count: 4 * 32)
      var state = attacks[group]
      for slot in stride(from: 0, to: 32, by: 4) {
        let now = unsafe Transposed(
          power.vector(slot), power.vector(32 + slot), power.vector(64 + slot), power.vector(96 + slot))
        let gains = Transposed(state.gain(now[0]), state.gain(now[1]), state.gain(now[2]), state.gain(now[3]))
        for band in 0..<4 { unsafe ducking.store(gains[band], 32 * band + slot) }
      }
      attacks[group] = state
    }
  }

  // MARK: All-pass filters: 8.6.4.5.2

  /// Passes four subbands through their filters: a slot of each is one vector. The input is two slots old, and lines
  /// have as many before the frame.
  private func filter(_ subband: Int, _ factors: Allpass, _ map: PSBandMap, to target: SubbandSamples) {
    let states = unsafe linkStates(subband)
    let inputs = unsafe (line(subband), line(subband + 1), line(subband + 2), line(subband + 3))
    for slot in stride(from: 0, to: 32, by: 4) {
      let real = unsafe Transposed(
        inputs.0.real.vector(slot), inputs.1.real.vector(slot), inputs.2.real.vector(slot), inputs.3.real.vector(slot))
      let imaginary = unsafe Transposed(
        inputs.0.imaginary.vector(slot), inputs.1.imaginary.vector(slot), inputs.2.imaginary.vector(slot),
        inputs.3.imaginary.vector(slot))
      let a = unsafe PSDecorrelator.filter(real[0], imaginary[0], states.advanced(by: 4 * slot), factors)
      let b = unsafe PSDecorrelator.filter(real[1], imaginary[1], states.advanced(by: 4 * slot + 4), factors)
      let c = unsafe PSDecorrelator.filter(real[2], imaginary[2], states.advanced(by: 4 * slot + 8), factors)
      let d = unsafe PSDecorrelator.filter(real[3], imaginary[3], states.advanced(by: 4 * slot + 12), factors)
      let (outputReal, outputImaginary) = (
        Transposed(a.real, b.real, c.real, d.real), Transposed(a.imaginary, b.imaginary, c.imaginary, d.imaginary)
      )
      for lane in 0..<min(4, map.allpassEnd - subband) {
        let row = unsafe target.row(subband + lane)
        let gain = unsafe ducking.pointer(at: map.band[subband + lane] * 32, count: 32).vector(slot)
        unsafe row.real.store(outputReal[lane] * gain, slot)
        unsafe row.imaginary.store(outputImaginary[lane] * gain, slot)
      }
    }
  }

  /// A subband's line where the filters' input begins.
  private func line(_ subband: Int) -> SubbandRow {
    unsafe delayLine(subband).advanced(by: PSDecorrelator.history - 2)
  }

  /// Moves the last states of four subbands' filters to where the frame before is read; returns the frame's first.
  private func linkStates(_ subband: Int) -> SubbandRow {
    let (length, history) = (4 * PSDecorrelator.linkSlots, 4 * PSDecorrelator.linkHistory)
    let (first, count) = (subband * 3 * PSDecorrelator.linkSlots, 3 * length)
    let states = unsafe SubbandRow(
      real: links.real.pointer(at: first, count: count), imaginary: links.imaginary.pointer(at: first, count: count))
    for link in 0..<3 {
      let row = unsafe states.advanced(by: link * length)
      unsafe row.copy(row, from: length - history, count: history)
    }
    return unsafe states.advanced(by: history)
  }

  /// Passes a slot through the three filters.
  @inline(__always)
  private static func filter(
    _ real: SIMD4<Float>, _ imaginary: SIMD4<Float>, _ states: SubbandRow, _ factors: Allpass
  ) -> Complex {
    let input = product(real, imaginary, factors.turn)
    let length = 4 * linkSlots
    let first = unsafe pass(input, states, delay: 3, factors.links.0)
    let second = unsafe pass(first, states.advanced(by: length), delay: 4, factors.links.1)
    return unsafe pass(second, states.advanced(by: 2 * length), delay: 5, factors.links.2)
  }

  /// A filter's state is read three to five slots back, and written at the frame's slot.
  @inline(__always)
  private static func pass(
    _ input: Complex, _ state: SubbandRow, delay: Int, _ link: Allpass.Link
  ) -> Complex {
    var value = unsafe product(state.real.vector(-4 * delay), state.imaginary.vector(-4 * delay), link.turn)
    value.real -= input.real * link.feedback
    value.imaginary -= input.imaginary * link.feedback
    unsafe state.real.store(input.real + value.real * link.feedback, 0)
    unsafe state.imaginary.store(input.imaginary + value.imaginary * link.feedback, 0)
    return value
  }

  @inline(__always)
  private static func product(
    _ r: SIMD4<Float>, _ i: SIMD4<Float>, _ factor: Complex
  ) -> Complex {
    Complex(real: r * factor.real - i * factor.imaginary, imaginary: r * factor.imaginary + i * factor.real)
  }
}

extension PSDecorrelator.Attacks {
  /// Takes the power of a slot; returns how much of the copy is heard.
  @inline(__always)
  fileprivate mutating func gain(_ now: SIMD4<Float>) -> SIMD4<Float> {
    let decayed = 0.76592833836465 * peak
    peak = decayed.replacing(with: now, where: now .> decayed)
    power += 0.25 * (now - power)
    fall += 0.25 * (peak - now - fall)
    let excess = 1.5 * fall
    return SIMD4(repeating: 1).replacing(with: power / excess, where: excess .> power)
  }
}
