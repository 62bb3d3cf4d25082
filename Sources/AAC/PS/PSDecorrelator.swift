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
  /// Delays of the filters in slots, and their feedback.
  private static let linkDelays = [3, 4, 5]
  private static let feedback: [Float] = [0.65143905753106, 0.56471812200776, 0.48954165955695]
  /// Slots that the filters' states are kept for.
  private static let linkHistory = 5
  private static let linkSlots = 32 + linkHistory
  private static let maximumBands = 91
  private static let maximumAllpass = 50
  /// More than any sound has: full scale is 2^30.
  private static let largestPower: Float = 1e30

  /// The factors of a subband's filters.
  private struct Allpass {
    let turn: SIMD2<Float>
    let linkTurns: [SIMD2<Float>]
    let feedback: [Float]
  }

  /// The input, delayed: rows of `slots`.
  private let delayed = (
    real: AlignedMemory<Float>(maximumBands * slots), imaginary: AlignedMemory<Float>(maximumBands * slots)
  )
  /// The filters' states: three rows of `linkSlots` for each subband.
  private let links = AlignedMemory<SIMD2<Float>>(maximumAllpass * 3 * linkSlots)
  private let power = AlignedMemory<Float>(PSParameters.room * 32)
  private let ducking = AlignedMemory<Float>(PSParameters.room * 32)
  /// Of each parameter band: its peak, which decays; its power, smoothed; how far it is below the peak, smoothed.
  private var peaks = [SIMD3<Float>](repeating: .zero, count: PSParameters.room)

  private static let few = factors(.few)
  private static let many = factors(.many)

  private static func factors(_ map: PSBandMap) -> [Allpass] {
    (0..<map.allpassEnd).map { subband in
      let centre = Double(map.centre(subband))
      func turn(_ delay: Double) -> SIMD2<Float> {
        SIMD2(Float(cos(.pi * delay * centre)), Float(-sin(.pi * delay * centre)))
      }
      let slope = min(max(1 - 0.05 * Float(subband - map.hybrids), 0), 1)
      return Allpass(
        turn: turn(0.39), linkTurns: [turn(0.43), turn(0.75), turn(0.347)],
        feedback: PSDecorrelator.feedback.map { $0 * slope })
    }
  }

  /// Forgets the past.
  func reset() {
    delayed.real.clear()
    delayed.imaginary.clear()
    links.clear()
    for band in peaks.indices { peaks[band] = .zero }
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
    for subband in 0..<map.count {
      store(source, subband)
      let gains = ducking.from(map.band[subband] * 32)
      let row = unsafe target.row(subband)
      if subband < map.allpassEnd {
        unsafe filter(subband, factors[subband], gains, to: row)
      } else {
        unsafe delay(subband, by: subband < map.longDelayEnd ? 14 : 1, gains, to: row)
      }
    }
  }

  private func silence(from end: Int, _ map: PSBandMap) {
    let (end, length) = (min(max(end, 0), map.count), PSDecorrelator.slots)
    delayed.real.from(end * length).update(repeating: 0, count: (map.count - end) * length)
    delayed.imaginary.from(end * length).update(repeating: 0, count: (map.count - end) * length)
    guard end < map.allpassEnd else { return }
    let links = 3 * PSDecorrelator.linkSlots
    self.links.from(end * links).update(repeating: .zero, count: (map.allpassEnd - end) * links)
  }

  /// Appends a subband's frame to its delay line.
  private func store(_ source: SubbandSamples, _ subband: Int) {
    let (row, from) = (subband * PSDecorrelator.slots, subband * SubbandSamples.slots)
    for (memory, source) in [(delayed.real, source.real), (delayed.imaginary, source.imaginary)] {
      memory.from(row).update(from: memory.from(row + 32), count: PSDecorrelator.history)
      memory.from(row + PSDecorrelator.history).update(from: source.from(from), count: 32)
    }
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
    for band in 0..<map.bands {
      var state = peaks[band]
      for slot in 0..<32 {
        let now = power[band * 32 + slot]
        state.x = max(0.76592833836465 * state.x, now)
        state.y += 0.25 * (now - state.y)
        state.z += 0.25 * (state.x - now - state.z)
        let excess = 1.5 * state.z
        ducking[band * 32 + slot] = excess > state.y ? state.y / excess : 1
      }
      peaks[band] = state
    }
  }

  // MARK: Delays and all-pass filters: 8.6.4.5.2

  /// Rows have 14 slots of history before the frame.
  private func delay(_ subband: Int, by delay: Int, _ gains: MemoryPart<Float>, to row: SubbandRow) {
    let first = subband * PSDecorrelator.slots + PSDecorrelator.history - delay
    let r = unsafe delayed.real.pointer(at: first, count: 32)
    let i = unsafe delayed.imaginary.pointer(at: first, count: 32)
    let gains = unsafe gains.pointer(count: 32)
    for slot in stride(from: 0, to: 32, by: 4) {
      let gain = unsafe gains.vector(slot)
      unsafe row.real.store(r.vector(slot) * gain, slot)
      unsafe row.imaginary.store(i.vector(slot) * gain, slot)
    }
  }

  /// The input is two slots old. A filter's state is read three to five slots back, and written at the frame's slot.
  private func filter(_ subband: Int, _ factors: Allpass, _ gains: MemoryPart<Float>, to row: SubbandRow) {
    let first = subband * PSDecorrelator.slots + PSDecorrelator.history - 2
    let r = unsafe delayed.real.pointer(at: first, count: 32)
    let i = unsafe delayed.imaginary.pointer(at: first, count: 32)
    let gains = unsafe gains.pointer(count: 32)
    let (length, history) = (PSDecorrelator.linkSlots, PSDecorrelator.linkHistory)
    let states = unsafe links.pointer(at: subband * 3 * length, count: 3 * length)
    for link in 0..<3 { unsafe (states + link * length).update(from: states + link * length + 32, count: history) }
    let (turn, turns, feedback) = (factors.turn, factors.linkTurns, factors.feedback)
    for slot in 0..<32 {
      var value = unsafe product(SIMD2(r[slot], i[slot]), turn)
      for link in 0..<3 {
        let state = unsafe states + link * length + history + slot
        let input = value
        value = unsafe product(state[-PSDecorrelator.linkDelays[link]], turns[link]) - input * feedback[link]
        unsafe state[0] = input + value * feedback[link]
      }
      unsafe row.real[slot] = value.x * gains[slot]
      unsafe row.imaginary[slot] = value.y * gains[slot]
    }
  }

  @inline(__always)
  private func product(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> SIMD2<Float> {
    SIMD2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
  }
}
