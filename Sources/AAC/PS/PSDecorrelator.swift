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
  private static let feedback = SIMD3<Float>(0.65143905753106, 0.56471812200776, 0.48954165955695)
  /// Slots that the filters' states are kept for, and those of a row of states: a few more than a frame's, as vectors of
  /// four are stored.
  private static let linkHistory = 5
  private static let linkSlots = 40
  private static let maximumBands = 91
  private static let maximumAllpass = 50
  /// More than any sound has: full scale is 2^30.
  private static let largestPower: Float = 1e30

  /// The factors of a subband's filters.
  private struct Allpass {
    let turn: SIMD2<Float>
    let linkTurns: (SIMD2<Float>, SIMD2<Float>, SIMD2<Float>)
    let feedback: SIMD3<Float>
  }

  /// What follows the power of four parameter bands from slot to slot.
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
  /// The filters' states: three rows of `linkSlots` for each subband.
  private let links = (
    real: AlignedMemory<Float>(maximumAllpass * 3 * linkSlots),
    imaginary: AlignedMemory<Float>(maximumAllpass * 3 * linkSlots)
  )
  /// A row between two filters.
  private let between = SubbandSamples(bands: 1)
  /// The power by parameter band and slot, and how much of the copy is heard. Four bands are measured at once.
  private let power = AlignedMemory<Float>((PSParameters.room + 3) / 4 * 4 * 32)
  private let ducking = AlignedMemory<Float>((PSParameters.room + 3) / 4 * 4 * 32)
  /// For each four parameter bands.
  private var attacks = [Attacks](repeating: Attacks(), count: (PSParameters.room + 3) / 4)

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
        turn: turn(0.39), linkTurns: (turn(0.43), turn(0.75), turn(0.347)),
        feedback: PSDecorrelator.feedback * slope)
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
    let states = 3 * PSDecorrelator.linkSlots
    links.real.from(end * states).update(repeating: 0, count: (map.allpassEnd - end) * states)
    links.imaginary.from(end * states).update(repeating: 0, count: (map.allpassEnd - end) * states)
  }

  /// A subband's delay line: `slots` of them.
  private func delayLine(_ subband: Int) -> SubbandRow {
    let (first, count) = (subband * PSDecorrelator.slots, PSDecorrelator.slots)
    return unsafe SubbandRow(
      real: delayed.real.pointer(at: first, count: count), imaginary: delayed.imaginary.pointer(at: first, count: count))
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

  // MARK: Delays and all-pass filters: 8.6.4.5.2

  /// Delay lines have 14 slots of history before the frame.
  private func delay(_ subband: Int, by delay: Int, _ gains: MemoryPart<Float>, to row: SubbandRow) {
    let source = unsafe delayLine(subband).advanced(by: PSDecorrelator.history - delay)
    unsafe PSDecorrelator.multiply(source, gains, to: row)
  }

  /// Multiplies 32 slots.
  private static func multiply(_ source: SubbandRow, _ gains: MemoryPart<Float>, to row: SubbandRow) {
    let gains = unsafe gains.pointer(count: 32)
    for slot in stride(from: 0, to: 32, by: 4) {
      let gain = unsafe gains.vector(slot)
      unsafe row.real.store(source.real.vector(slot) * gain, slot)
      unsafe row.imaginary.store(source.imaginary.vector(slot) * gain, slot)
    }
  }

  /// The input is two slots old.
  private func filter(_ subband: Int, _ factors: Allpass, _ gains: MemoryPart<Float>, to row: SubbandRow) {
    let source = unsafe delayLine(subband).advanced(by: PSDecorrelator.history - 2)
    let between = unsafe between.row(0)
    for slot in stride(from: 0, to: 32, by: 4) {
      let value = unsafe PSDecorrelator.product(source.real.vector(slot), source.imaginary.vector(slot), factors.turn)
      unsafe between.real.store(value.real, slot)
      unsafe between.imaginary.store(value.imaginary, slot)
    }
    let (turns, feedback) = (factors.linkTurns, factors.feedback)
    unsafe pass(between, link: 0, of: subband, turns.0, feedback.x, to: row)
    unsafe pass(row, link: 1, of: subband, turns.1, feedback.y, to: between)
    unsafe pass(between, link: 2, of: subband, turns.2, feedback.z, to: row)
    unsafe PSDecorrelator.multiply(row, gains, to: row)
  }

  /// Passes 32 slots through an all-pass filter. Its state is read three to five slots back, and written at the frame's
  /// slot: with a delay of three slots, so many are computed at once, and what is stored of a fourth is overwritten. Rows
  /// have 40 slots, of which 36 are touched.
  @inline(__always)
  private func pass(
    _ source: SubbandRow, link: Int, of subband: Int, _ turn: SIMD2<Float>, _ feedback: Float, to row: SubbandRow
  ) {
    let (length, history) = (PSDecorrelator.linkSlots, PSDecorrelator.linkHistory)
    let (first, delay) = ((3 * subband + link) * length, PSDecorrelator.linkDelays[link])
    let states = unsafe SubbandRow(
      real: links.real.pointer(at: first, count: length), imaginary: links.imaginary.pointer(at: first, count: length))
    unsafe states.copy(states, from: 32, count: history)
    let (old, new) = unsafe (states.advanced(by: history - delay), states.advanced(by: history))
    for slot in stride(from: 0, to: 32, by: min(delay, 4)) {
      let turned = unsafe PSDecorrelator.product(old.real.vector(slot), old.imaginary.vector(slot), turn)
      let (r, i) = unsafe (source.real.vector(slot), source.imaginary.vector(slot))
      let (real, imaginary) = (turned.real - r * feedback, turned.imaginary - i * feedback)
      unsafe new.real.store(r + real * feedback, slot)
      unsafe new.imaginary.store(i + imaginary * feedback, slot)
      unsafe row.real.store(real, slot)
      unsafe row.imaginary.store(imaginary, slot)
    }
  }

  @inline(__always)
  private static func product(
    _ r: SIMD4<Float>, _ i: SIMD4<Float>, _ factor: SIMD2<Float>
  ) -> (real: SIMD4<Float>, imaginary: SIMD4<Float>) {
    (r * factor.x - i * factor.y, r * factor.y + i * factor.x)
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
