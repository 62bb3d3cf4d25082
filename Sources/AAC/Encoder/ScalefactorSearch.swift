/// Finds the scalefactors of a channel.
///
/// Every band was quantised with several consecutive scalefactors around the likely best one, and the bits and the
/// weighted noise of each are known (`ScalefactorCandidates`). A price says how much noise a bit must save. The
/// cheapest path through all bands, the bits of scalefactor differences included, is found by dynamic programming
/// (Viterbi): a band that costs too much is left out, and one that could take its neighbour's scalefactor for a bit
/// less does so.
final class ScalefactorSearch {
  private static let bandCount = FrameLayout.largestBandCount
  /// For each band, the cheapest total of all paths up to it, by the last scalefactor sent.
  private let totals = AlignedMemory<Float>((bandCount + 1) * rowLength)
  /// The least total up to each band of paths that have sent a scalefactor.
  private let leastTotals = AlignedMemory<Float>(bandCount + 1)
  /// The total of each band while no scalefactor has been sent.
  private let silentTotals = AlignedMemory<Float>(bandCount + 1)
  /// Scalefactors that may have been the last one sent before each band: from a multiple of 8 to another.
  private let starts = AlignedMemory<Int>(bandCount + 1)
  private let ends = AlignedMemory<Int>(bandCount + 1)
  /// Bits of the step from a scalefactor `last` to `next`, at `last - next + 256`: infinite if there is no code word.
  let stepBits = AlignedMemory<Float>(520)

  private static let rowLength = 256
  /// Bits of a band of noise: the difference of its level, and its part of the sections.
  private static let noiseBits: Float = 6
  /// Bits by which a path may be worse than the cheapest one and still win.
  private let tolerance: Float

  init(costs: SpectralCosts, tolerance: Float) {
    self.tolerance = tolerance
    for index in 0..<stepBits.count { stepBits[index] = .infinity }
    for difference in -60...60 { stepBits[256 - difference] = costs.scalefactors[difference + 60] }
  }

  /// Chooses the scalefactor of every band, or none.
  func choose(_ channel: ChannelSpectrum, _ candidates: ScalefactorCandidates, _ layout: FrameLayout, price: Float) {
    (starts[0], ends[0], leastTotals[0], silentTotals[0]) = (0, 0, .infinity, 0)
    for band in 0..<layout.bandCount { step(band, candidates, left: left(band, channel, price), price: price) }
    trace(channel, layout, price: price)
  }

  /// The cost of a band that is not coded.
  private func left(_ band: Int, _ channel: ChannelSpectrum, _ price: Float) -> Float {
    min(missing(band, channel, price), substituted(band, channel, price))
  }

  /// The cost of leaving a band out.
  func missing(_ band: Int, _ channel: ChannelSpectrum, _ price: Float) -> Float {
    channel.holes[band] * channel.energies[band] * channel.weights[band] / price
  }

  /// The cost of noise in a band's place.
  func substituted(_ band: Int, _ channel: ChannelSpectrum, _ price: Float) -> Float {
    let share = channel.substitution[band]
    guard share.isFinite else { return .infinity }
    return share * channel.energies[band] * channel.weights[band] / price + ScalefactorSearch.noiseBits
  }

  /// Advances by a band: if it is left out, every total is carried over; if coded, the cheapest path to each of its
  /// scalefactors counts.
  ///
  /// Scalefactors are 0 to 255, and ranges end at multiples of 8 in or at the end of these: they are within a row of
  /// 256. The distance of two of them, plus 256, is within `stepBits`.
  private func step(_ band: Int, _ candidates: ScalefactorCandidates, left: Float, price: Float) {
    let length = ScalefactorSearch.rowLength
    let before = unsafe totals.pointer(at: band * length, count: 2 * length)
    let after = unsafe before + length
    let (start, end, silent) = (starts[band], ends[band], silentTotals[band])
    silentTotals[band + 1] = silent + left
    var index = start
    while index < end {
      unsafe store(load(before, index) + SIMD8(repeating: left), after, index)
      index &+= 8
    }
    (starts[band + 1], ends[band + 1]) = (start, end)
    // The same is added to all that is carried over, so the least total stays the least.
    var least = leastTotals[band] + left
    defer { leastTotals[band + 1] = least }
    guard candidates.highest[band] >= 0 else { return }
    let (bottom, top) = (Int(candidates.lowest[band]), Int(candidates.highest[band]))
    unsafe widen(band + 1, after, bottom & ~7, (top + 8) & ~7)
    let count = ScalefactorCandidates.rowLength
    let bits = unsafe candidates.bits.pointer(at: band * count, count: count)
    let noise = unsafe candidates.noise.pointer(at: band * count, count: count)
    let (steps, perBit) = unsafe (stepBits.start + 256, 1 / price)
    var scalefactor = bottom
    while scalefactor <= top {
      let step = unsafe steps - scalefactor
      var best = SIMD8<Float>(repeating: silent)
      var at = start
      while at < end {
        let total = unsafe load(before, at) + load(step, at)
        best.replace(with: total, where: total .< best)
        at &+= 8
      }
      let index = scalefactor & (count &- 1)
      let total = unsafe best.smallest + bits[index] + noise[index] * perBit
      if unsafe total < after[scalefactor] { unsafe after[scalefactor] = total }
      least = min(least, total)
      scalefactor &+= 1
    }
    unsafe narrow(band + 1, after, limit: least + tolerance)
  }

  /// Extends the range before a band by further scalefactors, up to 255.
  private func widen(_ band: Int, _ row: UnsafeMutablePointer<Float>, _ start: Int, _ end: Int) {
    let (oldStart, oldEnd) = (starts[band], ends[band])
    let isEmpty = oldStart == oldEnd
    let (newStart, newEnd) = isEmpty ? (start, end) : (min(start, oldStart), max(end, oldEnd))
    var index = newStart
    while index < newEnd {
      if isEmpty || index < oldStart || index >= oldEnd { unsafe store(SIMD8(repeating: .infinity), row, index) }
      index &+= 8
    }
    (starts[band], ends[band]) = (newStart, newEnd)
  }

  /// Drops scalefactors from the ends of a range whose paths are too far behind the cheapest one to win: beyond a
  /// limit.
  private func narrow(_ band: Int, _ row: UnsafeMutablePointer<Float>, limit: Float) {
    var (start, end) = (starts[band], ends[band])
    while start < end, unsafe load(row, start).smallest > limit { start &+= 8 }
    while start < end, unsafe load(row, end - 8).smallest > limit { end &-= 8 }
    (starts[band], ends[band]) = (start, end)
  }

  /// Follows the cheapest path back, finding out at each band how its total came about.
  private func trace(_ channel: ChannelSpectrum, _ layout: FrameLayout, price: Float) {
    let count = layout.bandCount
    var current = cheapest(in: count, to: nil)
    for band in stride(from: count - 1, through: 0, by: -1) {
      let isNoise = substituted(band, channel, price) < missing(band, channel, price)
      channel.scalefactors[band] = isNoise ? ChannelSpectrum.noise : ChannelSpectrum.empty
      guard let scalefactor = current else { continue }
      let row = band * ScalefactorSearch.rowLength
      let isCarried = scalefactor >= starts[band] && scalefactor < ends[band]
      let carried = isCarried ? totals[row + scalefactor] + left(band, channel, price) : .infinity
      guard carried != totals[row + ScalefactorSearch.rowLength + scalefactor] else { continue }
      channel.scalefactors[band] = Int32(scalefactor)
      current = cheapest(in: band, to: scalefactor)
    }
  }

  /// The last scalefactor of the cheapest path up to a band, including the step to the next one; `nil` if none was
  /// sent. Ranges are within a row, as in `step`.
  private func cheapest(in band: Int, to next: Int?) -> Int? {
    var best = silentTotals[band]
    var found: Int?
    let length = ScalefactorSearch.rowLength
    let row = unsafe totals.pointer(at: band * length, count: length)
    let steps = unsafe stepBits.start + 256
    let end = ends[band]
    var index = starts[band]
    while index < end {
      var totals = unsafe load(row, index)
      if let next { unsafe totals += load(steps, index &- next) }
      let smallest = totals.smallest
      if smallest < best {
        best = smallest
        found = (0..<8).first { totals[$0] == smallest }.map { index + $0 }
      }
      index &+= 8
    }
    return found
  }
}
