#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Finds the scalefactors of a channel: analysis by synthesis.
///
/// Every band is quantised with several consecutive scalefactors around the likely best one, and the bits and the
/// weighted noise of each are noted. A price says how much noise a bit must save. The cheapest path through all bands,
/// the bits of scalefactor differences included, is then found by dynamic programming (Viterbi): a band that costs too
/// much is left out, and one that could take its neighbour's scalefactor for a bit less does so.
final class ScalefactorSearch {
  /// Scalefactors that are tried for a band.
  static let candidateCount = 12
  /// How far above the likely best scalefactor they begin.
  static let candidatesAbove = 6

  private static let bandCount = FrameLayout.largestBandCount
  private let quantiser: BandQuantiser
  /// The highest scalefactor tried in each band; the others follow downwards. -1 if the band is left out.
  private let tops = AlignedMemory<Int32>(bandCount)
  private let lowest = AlignedMemory<Int32>(bandCount)
  private let bits = AlignedMemory<Float>(bandCount * candidateCount)
  private let noise = AlignedMemory<Float>(bandCount * candidateCount)
  /// For each band, the cheapest total of all paths up to it, by the last scalefactor sent.
  private let totals = AlignedMemory<Float>((bandCount + 1) * rowLength)
  /// The total of each band while no scalefactor has been sent.
  private let silentTotals = AlignedMemory<Float>(bandCount + 1)
  /// Scalefactors that may have been the last one sent before each band: from a multiple of 8 to another.
  private var ranges = [Range<Int>](repeating: 0..<0, count: bandCount + 1)
  /// Bits of the step from a scalefactor `last` to `next`, at `last - next + 256`: infinite if there is no code word.
  private let stepBits = AlignedMemory<Float>(520)

  private static let rowLength = 256
  private static let none = Float.infinity
  /// Bits of a coded band besides its lines and scalefactor: its part of the sections.
  private static let sectionShare: Float = 2
  /// Bits of a band of noise: the difference of its level, and its part of the sections.
  private static let noiseBits: Float = 6
  /// The weight of a missing band's energy relative to noise of the same energy: what is missing is more audible than
  /// what is added, above all if it comes and goes.
  private static let hole: Float = 6

  init(quantiser: BandQuantiser, costs: SpectralCosts) {
    self.quantiser = quantiser
    for index in 0..<stepBits.count { stepBits[index] = ScalefactorSearch.none }
    for difference in -60...60 { stepBits[256 - difference] = costs.scalefactors[difference + 60] }
  }

  /// Tries scalefactors in every band.
  ///
  /// - Parameter price: the weighted noise that a bit is worth, approximately.
  func measure(_ channel: ChannelSpectrum, _ layout: FrameLayout, price: Float) {
    for band in 0..<layout.bandCount {
      tops[band] = -1
      let weight = channel.weights[band]
      // A band that is not worth two bits is not worth trying.
      guard ScalefactorSearch.hole * channel.energies[band] * weight > price, channel.peaks[band] > 1e-6 else {
        continue
      }
      let from = layout.offsets[band]
      let count = layout.offsets[band + 1] - from
      let likely = 100 + 8 / 3 * log2f(4.87 * Float(count) * price / (weight * channel.roots[band]))
      // Above this all lines become 0; below the other limit, some exceed the largest magnitude.
      let highest = 100 + 16 / 3 * log2f(channel.peaks[band] / (1 - BandQuantiser.rounding))
      let lowestUsable = 100 + 16 / 3 * log2f(channel.peaks[band] / 8190)
      let top = min(max(Int(likely) + ScalefactorSearch.candidatesAbove, 0), Int(highest), 255)
      let bottom = max(Int(lowestUsable.rounded(.up)), 0)
      guard top >= bottom else { continue }
      tops[band] = Int32(top)
      let absolute = unsafe channel.absolute.pointer(at: from, count: count)
      let powers = unsafe channel.powers.pointer(at: from, count: count)
      lowest[band] = Int32(max(bottom, top - ScalefactorSearch.candidateCount + 1))
      for scalefactor in Int(lowest[band])...top {
        let cost = unsafe quantiser.cost(absolute, powers, count: count, scalefactor: scalefactor)
        let index = band * ScalefactorSearch.candidateCount + top - scalefactor
        bits[index] = cost.bits + ScalefactorSearch.sectionShare
        noise[index] = cost.largest == 0 ? ScalefactorSearch.none : cost.noise * weight
      }
    }
  }

  /// Chooses the scalefactor of every band, or none.
  func choose(_ channel: ChannelSpectrum, _ layout: FrameLayout, price: Float) {
    ranges[0] = 0..<0
    silentTotals[0] = 0
    for band in 0..<layout.bandCount { step(band, left: left(band, channel, price), price: price) }
    trace(channel, layout, price: price)
  }

  /// The cost of a band that is not coded.
  private func left(_ band: Int, _ channel: ChannelSpectrum, _ price: Float) -> Float {
    min(missing(band, channel, price), substituted(band, channel, price))
  }

  /// The cost of leaving a band out.
  private func missing(_ band: Int, _ channel: ChannelSpectrum, _ price: Float) -> Float {
    ScalefactorSearch.hole * channel.energies[band] * channel.weights[band] / price
  }

  /// The cost of noise in a band's place.
  private func substituted(_ band: Int, _ channel: ChannelSpectrum, _ price: Float) -> Float {
    let share = channel.substitution[band]
    guard share.isFinite else { return .infinity }
    return share * channel.energies[band] * channel.weights[band] / price + ScalefactorSearch.noiseBits
  }

  /// Advances by a band: if it is left out, every total is carried over; if coded, the cheapest path to each of its
  /// scalefactors counts.
  ///
  /// Scalefactors are 0 to 255, and ranges end at multiples of 8 in or at the end of these: they are within a row of
  /// 256. The distance of two of them, plus 256, is within `stepBits`.
  private func step(_ band: Int, left: Float, price: Float) {
    let length = ScalefactorSearch.rowLength
    let before = unsafe totals.pointer(at: band * length, count: 2 * length)
    let after = unsafe before + length
    let range = ranges[band]
    silentTotals[band + 1] = silentTotals[band] + left
    var index = range.lowerBound
    while index < range.upperBound {
      unsafe after[index] = before[index] + left
      index &+= 1
    }
    ranges[band + 1] = range
    guard tops[band] >= 0 else { return }
    let (bottom, top) = (Int(lowest[band]), Int(tops[band]))
    unsafe widen(band, after, bottom & ~7..<(top + 8) & ~7)
    let (silent, count) = (silentTotals[band], Self.candidateCount)
    // Those of a band, from `top` downwards.
    let bits = unsafe bits.pointer(at: band * count, count: count)
    let noise = unsafe noise.pointer(at: band * count, count: count)
    let (steps, from, end) = unsafe (stepBits.start + 256, range.lowerBound, range.upperBound)
    var scalefactor = bottom
    while scalefactor <= top {
      let index = top &- scalefactor
      let step = unsafe steps - scalefactor
      var (best0, best1, best2, best3) = (silent, silent, silent, silent)
      var at = from
      while at < end {
        let (a, b) = unsafe (before[at] + step[at], before[at &+ 1] + step[at &+ 1])
        let (c, d) = unsafe (before[at &+ 2] + step[at &+ 2], before[at &+ 3] + step[at &+ 3])
        if a < best0 { best0 = a }
        if b < best1 { best1 = b }
        if c < best2 { best2 = c }
        if d < best3 { best3 = d }
        at &+= 4
      }
      if best2 < best0 { best0 = best2 }
      if best3 < best1 { best1 = best3 }
      let total = unsafe (best1 < best0 ? best1 : best0) + bits[index] + noise[index] / price
      if unsafe total < after[scalefactor] { unsafe after[scalefactor] = total }
      scalefactor &+= 1
    }
  }

  /// Extends the range after a band by further scalefactors, up to 255.
  private func widen(_ band: Int, _ after: UnsafeMutablePointer<Float>, _ added: Range<Int>) {
    let range = ranges[band + 1]
    let wide = range.isEmpty ? added : min(range.lowerBound, added.lowerBound)..<max(range.upperBound, added.upperBound)
    for scalefactor in wide where !range.contains(scalefactor) { unsafe after[scalefactor] = ScalefactorSearch.none }
    ranges[band + 1] = wide
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
      let carried =
        ranges[band].contains(scalefactor) ? totals[row + scalefactor] + left(band, channel, price) : .infinity
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
    let (range, next) = (ranges[band], next ?? -1)
    var last = range.lowerBound
    while last < range.upperBound {
      let total = unsafe next < 0 ? row[last] : row[last] + steps[last &- next]
      if total < best { (best, found) = (total, last) }
      last &+= 1
    }
    return found
  }
}
