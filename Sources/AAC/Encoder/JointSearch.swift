/// Finds the scalefactors of a channel and the Huffman books of its bands together.
///
/// `ScalefactorSearch` codes each band in its own best book and assumes an average cost for announcing books. In fact
/// neighbouring bands that share a book are announced once, so a scalefactor at which a band fits its neighbour's book
/// may be worth more than the one that is best for the band alone. Here a path's state is the last scalefactor and the
/// book, and the search (Viterbi again) finds the cheapest path exactly.
///
/// All paths with the same last scalefactor are one vector: an element for each book, and for each thing that can stand
/// in for lines.
final class JointSearch {
  private typealias Row = BookCosts.Row

  private static let bandCount = FrameLayout.largestBandCount
  /// One more than the highest scalefactor.
  private static let rowLength = 256
  private static let empty = 0
  private static let noise = SectionPlanner.noise
  private static let impossible = Row(repeating: .infinity)
  /// Bits by which a path may be worse than the cheapest one and still be followed: about those of a new section and of
  /// the usual steps to another scalefactor.
  private static let tolerance: Float = 19

  private let search: ScalefactorSearch
  /// For each band, the cheapest total of all paths up to it, by the last scalefactor sent.
  private let totals = AlignedMemory<Row>((bandCount + 1) * rowLength)
  /// The same while no scalefactor has been sent.
  private let silentTotals = AlignedMemory<Row>(bandCount + 1)
  /// The scalefactors of the paths that are followed up to each band, and how many they are.
  private let followed = AlignedMemory<Int>((bandCount + 1) * rowLength)
  private let followedCounts = AlignedMemory<Int>(bandCount + 1)
  /// The totals of these paths with what going on to the next band takes, in the same order.
  private let openings = AlignedMemory<Row>(rowLength)

  /// - Parameter search: what it knows of bands that are left out and of the steps between scalefactors.
  init(_ search: ScalefactorSearch) { self.search = search }

  /// Chooses the scalefactor of every band, or none.
  func choose(
    _ channel: ChannelSpectrum, _ candidates: ScalefactorCandidates, _ costs: BookCosts, _ layout: FrameLayout,
    price: Float
  ) {
    followedCounts[0] = 0
    var start = JointSearch.impossible
    start[JointSearch.empty] = 0
    silentTotals[0] = start
    for band in 0..<layout.bandCount { step(band, channel, candidates, costs, Opening(band, layout), price) }
    trace(channel, layout)
  }

  /// The bits and conditions for going on to a band.
  private struct Opening {
    /// Bits of announcing a section.
    let bits: Float
    /// Whether a section begins with the band in any case, as a group does.
    let isNeeded: Bool

    init(_ band: Int, _ layout: FrameLayout) {
      bits = Float(4 + layout.sectionRunBits)
      isNeeded = band % layout.bandsPerGroup == 0
    }

    /// The totals before the band's own bits, in each book: of paths that stay in it, or of the cheapest one in any
    /// book and announcing this one.
    @inline(__always)
    func totals(after row: Row) -> Row {
      let opened = Row(repeating: row.smallest + bits)
      return isNeeded ? opened : row.replacing(with: opened, where: opened .< row)
    }
  }

  /// Advances by a band, left out or coded with each of its scalefactors.
  private func step(
    _ band: Int, _ channel: ChannelSpectrum, _ candidates: ScalefactorCandidates, _ costs: BookCosts,
    _ opening: Opening, _ price: Float
  ) {
    var left = JointSearch.impossible
    if channel.positions[band] == ChannelSpectrum.noPosition {
      left[JointSearch.empty] = search.missing(band, channel, price)
      left[JointSearch.noise] = search.substituted(band, channel, price)
    } else {
      left[channel.isOpposite[band] ? SectionPlanner.intensityOutOfPhase : SectionPlanner.intensity] = 0
    }
    let silent = opening.totals(after: silentTotals[band])
    silentTotals[band + 1] = silent + left
    let (before, after, count) = (band * Self.rowLength, (band + 1) * Self.rowLength, followedCounts[band])
    let isTried = candidates.highest[band] >= 0
    let tried = isTried ? Int(candidates.lowest[band])..<(Int(candidates.highest[band]) + 1) : 0..<0
    let range = JointSearch.union(count > 0 ? followed[before]..<(followed[before + count - 1] + 1) : 0..<0, tried)
    totals.from(after + range.lowerBound).update(repeating: JointSearch.impossible, count: range.count)
    for place in 0..<count {
      let last = followed[before + place]
      openings[place] = opening.totals(after: totals[before + last])
      totals[after + last] = openings[place] + left
    }
    for scalefactor in tried {
      let loss = candidates.noise[ScalefactorCandidates.index(band, scalefactor)] / price
      let row = cheapest(to: scalefactor, band, silent) + costs.bits(band, scalefactor) + loss
      // A band that is coded and one that is left out are in different elements.
      let carried = totals[after + scalefactor]
      totals[after + scalefactor] = row.replacing(with: carried, where: carried .< row)
    }
    follow(band + 1, range)
  }

  /// The least range that holds both.
  private static func union(_ x: Range<Int>, _ y: Range<Int>) -> Range<Int> {
    if x.isEmpty || y.isEmpty { return x.isEmpty ? y : x }
    return min(x.lowerBound, y.lowerBound)..<max(x.upperBound, y.upperBound)
  }

  /// The totals of the cheapest paths, in each book, that go on with a scalefactor.
  ///
  /// The paths are those that are followed, no more than there are scalefactors; the distance of two of these, plus
  /// 256, is within the table of steps.
  @inline(__always)
  private func cheapest(to scalefactor: Int, _ band: Int, _ silent: Row) -> Row {
    let count = followedCounts[band]
    let places = unsafe followed.pointer(at: band * Self.rowLength, count: count)
    let openings = unsafe openings.pointer(at: 0, count: count)
    let steps = unsafe search.stepBits.start + (256 - scalefactor)
    var (best, place) = (silent, 0)
    while place < count {
      let total = unsafe openings[place] + steps[places[place]]
      best.replace(with: total, where: total .< best)
      place &+= 1
    }
    return best
  }

  /// Notes which paths up to a band are not too far behind the cheapest one to win.
  private func follow(_ band: Int, _ range: Range<Int>) {
    let first = band * Self.rowLength
    var best = silentTotals[band].smallest
    for scalefactor in range { best = min(best, totals[first + scalefactor].smallest) }
    var count = 0
    for scalefactor in range where totals[first + scalefactor].smallest <= best + JointSearch.tolerance {
      followed[first + count] = scalefactor
      count += 1
    }
    followedCounts[band] = count
  }

  /// Follows the cheapest path back, finding out at each band how its total came about.
  private func trace(_ channel: ChannelSpectrum, _ layout: FrameLayout) {
    var (scalefactor, book) = end(layout.bandCount)
    for band in stride(from: layout.bandCount - 1, through: 0, by: -1) {
      let opening = Opening(band, layout)
      switch book {
      case 1...Int(Codebook.escape):
        channel.scalefactors[band] = Int32(scalefactor ?? 0)
        scalefactor = origin(band, scalefactor ?? 0, book, opening)
      case JointSearch.noise: channel.scalefactors[band] = ChannelSpectrum.noise
      // Those that are multiples of the other channel's are known by their positions.
      default: channel.scalefactors[band] = ChannelSpectrum.empty
      }
      let row = row(band, scalefactor)
      if opening.totals(after: row)[book] != row[book] { book = JointSearch.cheapestBook(row) }
    }
  }

  /// The totals up to a band with a last scalefactor, or with none.
  private func row(_ band: Int, _ scalefactor: Int?) -> Row {
    scalefactor.map { totals[band * Self.rowLength + $0] } ?? silentTotals[band]
  }

  private static func cheapestBook(_ row: Row) -> Int {
    row.indices.min { row[$0] < row[$1] } ?? empty
  }

  /// How the cheapest path of all ends.
  private func end(_ band: Int) -> (scalefactor: Int?, book: Int) {
    var (best, scalefactor) = (silentTotals[band].smallest, Int?.none)
    for place in 0..<followedCounts[band] {
      let last = followed[band * Self.rowLength + place]
      let total = row(band, last).smallest
      if total < best { (best, scalefactor) = (total, last) }
    }
    return (scalefactor, JointSearch.cheapestBook(row(band, scalefactor)))
  }

  /// The last scalefactor before a band on the cheapest path to its scalefactor and book; `nil` if none was sent.
  private func origin(_ band: Int, _ next: Int, _ book: Int, _ opening: Opening) -> Int? {
    var (best, scalefactor) = (opening.totals(after: silentTotals[band])[book], Int?.none)
    for place in 0..<followedCounts[band] {
      let last = followed[band * Self.rowLength + place]
      let total = opening.totals(after: row(band, last))[book] + search.stepBits[256 + last - next]
      if total < best { (best, scalefactor) = (total, last) }
    }
    return scalefactor
  }
}
