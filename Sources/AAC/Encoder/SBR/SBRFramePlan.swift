/// How a frame is to be divided in time, before it is written: see `SBRTimeGrid`, which reads it.
///
/// A frame without attacks has one, two or four envelopes of about the same length. An attack gets an envelope that
/// begins with it and is short; the borders around it move, and the last one may reach into the next frame, which then
/// begins there.
///
/// Source: ISO/IEC 14496-3, 4.4.2.8, table 4.69 (sbr_grid), and 4.6.18.3.3.
struct SBRFramePlan: Equatable {
  /// Where envelopes begin, in time slots of two, and where the last one ends.
  private(set) var borders: [Int]
  /// The resolution of each envelope.
  private(set) var isHigh: [Bool]
  /// The envelope with an attack, where there is neither noise nor smoothing.
  private(set) var transient: Int?
  /// Distances between borders, counted from the end; `nil` where envelopes have equal lengths.
  private var trailing: [Int]?

  /// Number of envelopes.
  var count: Int { isHigh.count }
  /// Where the last envelope ends.
  var end: Int { borders[borders.count - 1] }
  /// Number of noise floors.
  var noiseCount: Int { count > 1 ? 2 : 1 }
  /// Whether the end is sent, and distances count from there, not from the start.
  private var hasVariableEnd: Bool { trailing?.isEmpty == false || end > SBRTimeGrid.slots }
  /// Whether one envelope covers the whole frame: its levels are always fine.
  var isSingle: Bool { trailing == nil && borders == [0, SBRTimeGrid.slots] }

  /// Slots of an attack's own envelope, if there is room: 12 ms at 44.1 kHz.
  private static let attackLength = 4

  /// A frame without attack.
  ///
  /// - Parameters:
  ///   - start: where the frame before ended, 0 to 3.
  ///   - parts: its number of envelopes, 1, 2 or 4.
  ///   - reachesOver: whether it ends as late as it can: see `CrossoverChoice`.
  init(start: Int, parts: Int, reachesOver: Bool = false) {
    let slots = SBRTimeGrid.slots
    let length = slots / parts
    if reachesOver {
      let end = slots + 3
      borders = [start] + (1..<parts).map { end - (parts - $0) * length } + [end]
      trailing = [Int](repeating: length, count: parts - 1)
    } else if start == 0 {
      borders = (0...parts).map { $0 * length }
    } else {
      // Distances from the start are even.
      borders = [start] + (1..<parts).map { start + ($0 * (slots - start) + parts) / (2 * parts) * 2 } + [slots]
      trailing = []
    }
    isHigh = [Bool](repeating: true, count: borders.count - 1)
  }

  /// The frame that takes the fewest bits.
  init(simplestFrom start: Int, reachesOver: Bool = false) {
    self.init(start: start, parts: 1, reachesOver: reachesOver)
    isHigh = [false]
  }

  /// A frame with an attack.
  ///
  /// - Parameters:
  ///   - start: where the frame before ended, 0 to 3.
  ///   - attack: the slot of the attack, 0 to 15.
  init(start: Int, attack: Int) {
    let attack = max(attack, start)
    // An even distance to the end, and 4 slots at least.
    let end = SBRTimeGrid.slots + (attack & 1) + (attack > 13 ? 2 : 0)
    var steps = SBRFramePlan.steps(end - attack)
    var borders = [end]
    for step in steps.reversed() { borders.insert(borders[0] - step, at: 0) }
    if attack > start { borders.insert(start, at: 0) } else { steps.removeFirst() }
    self.borders = borders
    trailing = steps.reversed()
    isHigh = zip(borders, borders.dropFirst()).map { $1 - $0 > 5 }
    // Of three envelopes, the first one has no number that fits in the bits for it.
    let index = attack > start ? 1 : 0
    if count + 1 - index < 1 << (Int.bitWidth - count.leadingZeroBitCount) { transient = index }
  }

  /// An even distance as steps of 2 to 8, the first one short.
  private static func steps(_ distance: Int) -> [Int] {
    let first = min(attackLength, distance)
    let rest = distance - first
    if rest == 0 { return [first] }
    if rest <= 8 { return [first, rest] }
    let second = rest / 4 * 2
    return [first, min(second, 4), rest - min(second, 4)]
  }

  /// Bits of sbr_grid().
  var bits: Int {
    guard let trailing else { return 2 + 2 + 1 }
    let leading = hasVariableEnd ? 0 : count - 1
    let ends = (borders[0] > 0 ? 4 : 0) + (hasVariableEnd ? 4 : 0)
    return 2 + ends + 2 * (leading + trailing.count) + Int.bitWidth - count.leadingZeroBitCount + count
  }

  /// Writes sbr_grid().
  func write(to bits: inout PacketBitWriter) {
    guard let trailing else {
      bits.append(0, 2)
      bits.append(count.trailingZeroBitCount, 2)
      bits.append(isHigh[0] ? 1 : 0, 1)
      return
    }
    let start = borders[0]
    bits.append(hasVariableEnd ? (start > 0 ? 3 : 1) : 2, 2)
    let leading = hasVariableEnd ? 0 : count - 1
    if start > 0 { bits.append(start, 2) }
    if hasVariableEnd { bits.append(end - SBRTimeGrid.slots, 2) }
    if start > 0 { bits.append(leading, 2) }
    if hasVariableEnd { bits.append(trailing.count, 2) }
    for (from, to) in zip(borders, borders.dropFirst()).prefix(leading) { bits.append((to - from - 2) / 2, 2) }
    for step in trailing { bits.append((step - 2) / 2, 2) }
    let pointer = hasVariableEnd ? transient.map { count + 1 - $0 } ?? 0 : 0
    bits.append(pointer, Int.bitWidth - count.leadingZeroBitCount)
    for isHigh in hasVariableEnd && start == 0 ? isHigh.reversed() : isHigh { bits.append(isHigh ? 1 : 0, 1) }
  }

  /// The envelope with which the second noise floor begins. Source: ISO/IEC 14496-3, table 4.176.
  var middle: Int {
    guard trailing != nil else { return count / 2 }
    return hasVariableEnd ? count - max((transient.map { count + 1 - $0 } ?? 0) - 1, 1) : 1
  }
}
