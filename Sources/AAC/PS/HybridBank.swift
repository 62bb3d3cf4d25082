#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Divides the lowest subbands of a filter bank further, and puts them together again.
///
/// Each part is the output of a filter of 13 taps whose delay, 6 slots, the caller makes up for: it has the slots that
/// follow. Putting together is just adding up.
///
/// Source: ISO/IEC 14496-3, 8.6.4.3.
final class HybridBank {
  /// A filter: of which subband, and its taps in the order of time.
  private struct Filter {
    let source: Int
    let taps: [SIMD2<Float>]
  }

  private static let tapCount = 13
  /// Slots before a frame and after it that its filters reach.
  static let reach = 6

  private let map: PSBandMap
  private let filters: [Filter]

  /// The bank of a band map: its filters are in the order of the map's subbands.
  init(_ map: PSBandMap) {
    self.map = map
    filters = map.bands == 20 ? HybridBank.few : HybridBank.many
  }

  // MARK: Filters: table 8.40

  /// Lowest subband: 8 filters, of which two pairs are added. The next two: one of two halves each.
  private static let few: [Filter] = {
    let lowest = complex(prototype8, count: 8)
    let order = [[6], [7], [0], [1], [2, 5], [3, 4]]
    let halves = (0..<2).map { half in
      (0..<tapCount).map { tap in
        SIMD2<Float>(half * tap % 2 == 0 ? mirrored(prototype2, tap) : -mirrored(prototype2, tap), 0)
      }
    }
    return order.map { numbers in
      Filter(source: 0, taps: (0..<tapCount).map { tap in numbers.reduce(.zero) { $0 + lowest[$1][tap] } })
    } + [(1, 1), (1, 0), (2, 0), (2, 1)].map { source, half in Filter(source: source, taps: halves[half]) }
  }()

  /// 12, 8, 4, 4 and 4 filters.
  private static let many: [Filter] =
    [(prototype12, 12), (prototype8Narrow, 8), (prototype4, 4), (prototype4, 4), (prototype4, 4)].enumerated()
    .flatMap { source, bank in complex(bank.0, count: bank.1).map { Filter(source: source, taps: $0) } }

  /// Filter `q` is the prototype moved to the frequency `q + 1/2`. The taps are those of a convolution, backwards.
  private static func complex(_ prototype: [Double], count: Int) -> [[SIMD2<Float>]] {
    (0..<count).map { q in
      (0..<tapCount).map { tap in
        let angle = 2 * Double.pi * (Double(q) + 0.5) * Double(6 - tap) / Double(count)
        let value = tap > 6 ? prototype[12 - tap] : prototype[tap]
        return SIMD2(Float(value * cos(angle)), Float(value * sin(angle)))
      }
    }
  }

  private static func mirrored(_ prototype: [Double], _ tap: Int) -> Float {
    Float(tap > 6 ? prototype[12 - tap] : prototype[tap])
  }

  private static let prototype8 = [
    0.00746082949812, 0.02270420949825, 0.04546865930473, 0.07266113929591, 0.09885108575264, 0.11793710567217, 0.125,
  ]
  private static let prototype12 = [
    0.04081179924692, 0.03812810994926, 0.05144908135699, 0.06399831151592, 0.07428313801106, 0.08100347892914,
    0.08333333333333,
  ]
  private static let prototype8Narrow = [
    0.01565675600122, 0.03752716391991, 0.05417891378782, 0.08417044116767, 0.10307344158036, 0.12222452249753, 0.125,
  ]
  private static let prototype4 = [
    -0.05908211155639, -0.04871498374946, 0, 0.07778723915851, 0.16486303567403, 0.23279856662996, 0.25,
  ]
  private static let prototype2 = [0, 0.01899487526049, 0, -0.07293139167538, 0, 0.30596630545168, 0.5]

  // MARK: Filtering

  /// Divides the lowest subbands of a frame.
  ///
  /// - Parameters:
  ///   - input: rows of 44 slots: six of the frame before, the frame's 32 and the six that follow.
  ///   - target: gets the parts in its first rows, slots 0 to 31.
  func divide(_ input: PSHistory, to target: SubbandSamples) {
    precondition(target.bands >= map.count)
    for (index, filter) in filters.enumerated() { unsafe apply(filter, input, to: target.row(index)) }
  }

  /// All slots are within the history's 44: 32 outputs of 13 taps.
  private func apply(_ filter: Filter, _ input: PSHistory, to row: SubbandRow) {
    let first = filter.source * PSHistory.slots
    let r = unsafe input.real.pointer(at: first, count: PSHistory.slots)
    let i = unsafe input.imaginary.pointer(at: first, count: PSHistory.slots)
    for slot in stride(from: 0, to: 32, by: 4) {
      var (real, imaginary) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
      for tap in 0..<HybridBank.tapCount {
        let (factor, a, b) = unsafe (filter.taps[tap], r.vector(slot + tap), i.vector(slot + tap))
        real += a * factor.x - b * factor.y
        imaginary += a * factor.y + b * factor.x
      }
      unsafe row.real.store(real, slot)
      unsafe row.imaginary.store(imaginary, slot)
    }
  }

  /// Adds the parts of the lowest subbands together, in place: subband `band` ends up in row `firstRow + band`. Rows
  /// are filled from the highest subband down, so that no part is overwritten before it has been added.
  func unite(_ subbands: SubbandSamples) {
    precondition(subbands.bands >= map.count)
    var end = filters.count
    for band in (0..<map.divided).reversed() {
      let target = unsafe subbands.row(map.firstRow + band)
      let start = filters.firstIndex { $0.source == band } ?? end
      for slot in stride(from: 0, to: 32, by: 4) {
        var (real, imaginary) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        for index in start..<end {
          let part = unsafe subbands.row(index)
          unsafe real += part.real.vector(slot)
          unsafe imaginary += part.imaginary.vector(slot)
        }
        unsafe target.real.store(real, slot)
        unsafe target.imaginary.store(imaginary, slot)
      }
      end = start
    }
  }
}

/// The slots of the lowest subbands that the hybrid filters need: those of a frame, and six before and after it.
final class PSHistory {
  static let slots = 32 + 2 * HybridBank.reach
  private static let bands = 5

  let real = AlignedMemory<Float>(bands * slots)
  let imaginary = AlignedMemory<Float>(bands * slots)

  /// Takes a frame: slots 0 to 37 of the lowest subbands.
  ///
  /// - Parameters:
  ///   - source: the subbands.
  ///   - firstRow: the row of the lowest one.
  func append(_ source: SubbandSamples, firstRow: Int) {
    for band in 0..<PSHistory.bands {
      let (row, frame) = (band * PSHistory.slots, 32 + HybridBank.reach)
      let target = unsafe SubbandRow(
        real: real.pointer(at: row, count: PSHistory.slots),
        imaginary: imaginary.pointer(at: row, count: PSHistory.slots))
      unsafe target.copy(target, from: 32, count: HybridBank.reach)
      unsafe target.advanced(by: HybridBank.reach).copy(source.row(firstRow + band), count: frame)
    }
  }

  /// Forgets the past.
  func clear() {
    real.clear()
    imaginary.clear()
  }
}
