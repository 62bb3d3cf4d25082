#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Finds the scalefactors of a channel: analysis by synthesis.
///
/// Every band is quantised with each of a row of scalefactors around the likely best one, and the bits and the weighted
/// noise of each are noted. A price says how much noise a bit must save. The cheapest path through all bands, the bits of
/// scalefactor differences included, is then found by dynamic programming (Viterbi): a band that costs too much is
/// left out, and one that could follow its neighbour for a bit less does so.
final class ScalefactorSearch {
  /// Scalefactors that are tried for a band.
  static let candidateCount = 12
  /// How far above the likely best scalefactor they begin.
  static let candidatesAbove = 6

  private static let bandCount = FrameLayout.largestBandCount
  private let quantiser: BandQuantiser
  private let costs: SpectralCosts
  /// The highest scalefactor tried in each band; the others follow downwards. -1: none, the band is left out.
  private let tops = WorkArray<Int32>(-1, count: bandCount)
  private let lowest = WorkArray<Int32>(0, count: bandCount)
  private let bits = WorkArray<Float>(0, count: bandCount * candidateCount)
  private let noise = WorkArray<Float>(0, count: bandCount * candidateCount)
  /// For each band and scalefactor, the scalefactor before it on the cheapest path; `skipped`: the band is left out and
  /// the scalefactor is carried on.
  private let origins = WorkArray<Int16>(0, count: bandCount * 256)
  private let totals = WorkArray<Float>(0, count: 256)
  private let nextTotals = WorkArray<Float>(0, count: 256)
  /// The total while no scalefactor has been sent.
  private var silentTotal: Float = 0

  private static let skipped: Int16 = -1
  private static let first: Int16 = -2
  private static let none = Float.infinity
  /// Bits that a coded band costs beside its lines and scalefactor: its part of the sections.
  private static let sectionShare: Float = 2

  init(quantiser: BandQuantiser, costs: SpectralCosts) {
    self.quantiser = quantiser
    self.costs = costs
  }

  /// Tries scalefactors in every band.
  ///
  /// - Parameter price: weighted noise that a bit is worth, about as it will be.
  func measure(_ channel: ChannelSpectrum, _ layout: FrameLayout, price: Float) {
    for band in 0..<layout.bandCount {
      tops[band] = -1
      let weight = channel.weights[band]
      // What is not worth two bits is not worth looking at.
      guard channel.energies[band] * weight > price, channel.peaks[band] > 1e-6 else { continue }
      let from = layout.offsets[band]
      let count = layout.offsets[band + 1] - from
      let likely = 100 + 8 / 3 * log2f(4.87 * Float(count) * price / (weight * channel.roots[band]))
      // Above this all lines become 0; below the other, some are beyond the largest magnitude.
      let highest = 100 + 16 / 3 * log2f(channel.peaks[band] / (1 - BandQuantiser.rounding))
      let lowestUsable = 100 + 16 / 3 * log2f(channel.peaks[band] / 8190)
      let top = min(max(Int(likely) + ScalefactorSearch.candidatesAbove, 0), Int(highest), 255)
      let bottom = max(Int(lowestUsable.rounded(.up)), 0)
      guard top >= bottom else { continue }
      tops[band] = Int32(top)
      lowest[band] = Int32(max(bottom, top - ScalefactorSearch.candidateCount + 1))
      for scalefactor in Int(lowest[band])...top {
        let cost = quantiser.cost(
          channel.absolute.base + from, channel.powers.base + from, count: count, scalefactor: scalefactor)
        let place = band * ScalefactorSearch.candidateCount + top - scalefactor
        bits[place] = cost.bits + ScalefactorSearch.sectionShare
        noise[place] = cost.largest == 0 ? ScalefactorSearch.none : cost.noise * weight
      }
    }
  }

  /// Chooses the scalefactors, or none, of every band.
  func choose(_ channel: ChannelSpectrum, _ layout: FrameLayout, price: Float) {
    var range = 0..<0
    silentTotal = 0
    for band in 0..<layout.bandCount {
      range = step(band, channel, price: price, range)
    }
    trace(channel, layout, range)
  }

  /// Goes on by a band.
  ///
  /// - Parameter range: scalefactors that may have been the last one sent.
  /// - Returns: the same after this band.
  private func step(_ band: Int, _ channel: ChannelSpectrum, price: Float, _ range: Range<Int>) -> Range<Int> {
    let left = channel.energies[band] * channel.weights[band] / price
    let origin = origins.base + band * 256
    for scalefactor in range {
      nextTotals[scalefactor] = totals[scalefactor] + left
      origin[scalefactor] = ScalefactorSearch.skipped
    }
    guard tops[band] >= 0 else {
      silentTotal += left
      totals.base.update(from: nextTotals.base, count: 256)
      return range
    }
    let (bottom, top) = (Int(lowest[band]), Int(tops[band]))
    let reached = range.isEmpty ? bottom..<(top + 1) : min(range.lowerBound, bottom)..<max(range.upperBound, top + 1)
    for scalefactor in reached where !range.contains(scalefactor) { nextTotals[scalefactor] = ScalefactorSearch.none }
    for scalefactor in bottom...top {
      let place = band * ScalefactorSearch.candidateCount + top - scalefactor
      var best = silentTotal
      var before = ScalefactorSearch.first
      for last in max(
        range.lowerBound, scalefactor - 60)..<max(
          min(range.upperBound, scalefactor + 61), max(range.lowerBound, scalefactor - 60))
      {
        let total = totals.base[last] + costs.scalefactors.base[scalefactor - last + 60]
        if total < best { (best, before) = (total, Int16(truncatingIfNeeded: last)) }
      }
      best += bits[place] + noise[place] / price
      if best < nextTotals[scalefactor] {
        nextTotals[scalefactor] = best
        origin[scalefactor] = before
      }
    }
    silentTotal += left
    totals.base.update(from: nextTotals.base, count: 256)
    return reached
  }

  /// Walks the cheapest path back.
  private func trace(_ channel: ChannelSpectrum, _ layout: FrameLayout, _ range: Range<Int>) {
    var best = silentTotal
    var last = Int(ScalefactorSearch.first)
    for scalefactor in range where totals[scalefactor] < best { (best, last) = (totals[scalefactor], scalefactor) }
    for band in stride(from: layout.bandCount - 1, through: 0, by: -1) {
      channel.scalefactors[band] = -1
      guard last >= 0 else { continue }
      let origin = origins[band * 256 + last]
      guard origin != ScalefactorSearch.skipped else { continue }
      channel.scalefactors[band] = Int32(last)
      last = Int(origin)
    }
  }
}
