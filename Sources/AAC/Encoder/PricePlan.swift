/// The price of a bit in each packet of a sound that is known from beginning to end.
///
/// At one price for all packets, the bits do the most good. `RateControl`, which does not know what comes, can only
/// guess it: what a drum's stroke saves when it has faded comes too late for its beginning. If the whole sound is
/// there, it is coded at a few prices to see what packets take, and then at the one at which all of it takes what it
/// may.
///
/// Where the decoder's buffer has no room for that, the price has to change: there, and nowhere else.
struct PricePlan {
  /// Binary logarithms of the prices of all packets.
  private let prices: [Double]
  /// The bits left over by all packets before each, if they take what is expected.
  private let credits: [Double]
  /// How many bits may be left over, as far as the decoder's buffer is concerned.
  let limits: ClosedRange<Double>
  /// Whether it is for finding out what packets take: there is nothing to keep to.
  let isTrial: Bool

  private static let noLimits = -1e15...1e15

  /// Everything at one price, to see what packets take.
  ///
  /// - Parameter price: its binary logarithm.
  init(trial price: Double) {
    (prices, credits, limits, isTrial) = ([price], [0], PricePlan.noLimits, true)
  }

  /// The binary logarithm of a packet's price, if all before it took what was expected.
  func price(_ packet: Int) -> Double { prices[min(packet, prices.count - 1)] }

  /// The binary logarithm of the mean price per bit, according to the trials.
  func price(by trials: PriceTrials) -> Double {
    let bits = trials.estimate(0..<prices.count, price: prices[0]).bits
    return zip(prices, bits).reduce(0) { $0 + $1.0 * $1.1 } / max(bits.reduce(0, +), 1)
  }

  /// The bits that all packets before this one are expected to leave over.
  func credit(_ packet: Int) -> Double { credits[min(packet, credits.count - 1)] }

  /// A plan made from the trials.
  ///
  /// - Parameters:
  ///   - trials: what packets took in each.
  ///   - mean: the bits that each packet but the first adds.
  ///   - range: how far apart the most and the fewest bits left over may be; `nil` if that does not matter.
  ///   - mostSaved: the most bits that may be left over, if there is a range: nothing may come that could use them.
  ///   - debt: the bits that may be borrowed when the sound ends.
  init(_ trials: PriceTrials, mean: Double, range: Double?, mostSaved: Double, debt: Double) {
    isTrial = false
    let budget = Budget(trials, mean: mean)
    let packets = 0..<trials.packetCount
    let one = trials.estimate(packets, target: trials.target)
    if let range {
      limits = PricePlan.limits(budget, one, mean: mean, range: range, mostSaved: mostSaved)
    } else {
      limits = PricePlan.noLimits
    }
    let parts = PricePlan.parts(budget, one: one, limits: limits, debt: debt)
    prices = parts.flatMap { part in part.packets.map { _ in part.price } }
    var credits = [0.0]
    for part in parts {
      let last = credits[credits.count - 1]
      credits += budget.credits(part, from: last, most: limits.upperBound)
    }
    self.credits = credits
  }

  /// How many bits may be left over: a range around what one price for all packets would lead to.
  private static func limits(
    _ budget: Budget, _ one: PriceTrials.Estimate, mean: Double, range: Double, mostSaved: Double
  ) -> ClosedRange<Double> {
    let free = budget.credits(one, from: 0, most: .infinity)
    let (fewest, most) = (min(free.min() ?? 0, -mean), max(free.max() ?? 0, 0))
    let room = range - (most - fewest)
    // Without room, it is shared as it would be used; all of it is for loans where the rest is filling.
    var lowest = room > 0 ? fewest - room / 2 : min(fewest * range / (most - fewest), -mean)
    if one.price <= budget.trials.prices.lowerBound { lowest = -range }
    lowest = min(lowest, mostSaved - range)
    return lowest...(lowest + range)
  }

  /// The packets with the same price, part by part. Where one price for a part leads out of the limits, the part is
  /// divided where that is furthest out, and touches them there. Bits that do not fit in the buffer during silence are
  /// filling, and lost to what comes next: a part that counts on them is divided after the last packet that filled the
  /// buffer.
  private static func parts(
    _ budget: Budget, one: PriceTrials.Estimate, limits: ClosedRange<Double>, debt: Double
  ) -> [PriceTrials.Estimate] {
    let trials = budget.trials
    let (count, lowest) = (trials.packetCount, trials.prices.lowerBound)
    var parts: [PriceTrials.Estimate] = []
    var open = [(packets: 0..<count, from: 0.0, to: 0.0)]
    while let part = open.popLast() {
      let bits = part.from + budget.incomes[part.packets].reduce(0, +) - part.to
      var estimate = trials.estimate(part.packets, target: bits)
      if part.packets.upperBound == count, estimate.price > one.price {
        // A sudden end takes many bits: some of them need not be paid back.
        estimate = trials.estimate(part.packets, target: bits + debt)
        if estimate.price < one.price { estimate = trials.estimate(part.packets, price: one.price) }
      }
      let path = budget.credits(estimate, from: part.from, most: limits.upperBound)
      // One that ends with less than it should counted on bits that were filling.
      let countsOnFilling =
        estimate.price <= lowest && one.price > lowest && (path.last ?? part.to) < part.to - 1
      let full = countsOnFilling ? path.dropLast().lastIndex { $0 >= limits.upperBound } : nil
      guard let border = full ?? furthestOut(path.dropLast(), of: limits) else {
        parts.append(estimate)
        continue
      }
      let (middle, edge) = (part.packets.lowerBound + border + 1, path[border].clamped(to: limits))
      open.append((middle..<part.packets.upperBound, edge, part.to))
      open.append((part.packets.lowerBound..<middle, part.from, edge))
    }
    return parts
  }

  /// Where a path is furthest out of the limits, if it leaves them.
  private static func furthestOut(_ path: ArraySlice<Double>, of limits: ClosedRange<Double>) -> Int? {
    let excess = path.map { max(limits.lowerBound - $0, $0 - limits.upperBound) }
    return excess.indices.max { excess[$0] < excess[$1] }.flatMap { excess[$0] > 1 ? $0 : nil }
  }

  /// The bits that packets add and take.
  private struct Budget {
    let trials: PriceTrials
    /// The bits that each packet adds. There is one packet more than the sound is long: the first one adds none.
    let incomes: [Double]

    init(_ trials: PriceTrials, mean: Double) {
      self.trials = trials
      let count = trials.packetCount
      var incomes = [Double](repeating: mean, count: count)
      incomes[0] = 0
      incomes[count - 1] = trials.target - mean * Double(count - 2)
      self.incomes = incomes
    }

    /// The bits left over after each of some packets: no more than the most, if their price is the lowest, as what does
    /// not fit in the decoder's buffer is filling then.
    func credits(_ estimate: PriceTrials.Estimate, from credit: Double, most: Double) -> [Double] {
      var credit = credit
      let most = estimate.price > trials.prices.lowerBound ? .infinity : most
      return zip(estimate.packets, estimate.bits).map { packet, bits in
        credit = min(credit + incomes[packet] - bits, most)
        return credit
      }
    }
  }
}
