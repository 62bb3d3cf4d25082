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
    let bits = trials.bits(0..<prices.count, price: prices[0])
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
    let one = trials.price(packets, target: trials.target)
    if let range {
      limits = PricePlan.limits(budget, price: one, mean: mean, range: range, mostSaved: mostSaved)
    } else {
      limits = PricePlan.noLimits
    }
    let prices = PricePlan.prices(budget, one: one, limits: limits, debt: debt)
    var credits = [0.0]
    for packet in packets {
      credits += budget.credits(packet..<packet + 1, prices[packet], from: credits[packet], most: limits.upperBound)
    }
    (self.prices, self.credits) = (prices, credits)
  }

  /// How many bits may be left over: a range around what one price for all packets would lead to.
  private static func limits(
    _ budget: Budget, price: Double, mean: Double, range: Double, mostSaved: Double
  ) -> ClosedRange<Double> {
    let trials = budget.trials
    let free = budget.credits(0..<trials.packetCount, price, from: 0, most: .infinity)
    let (fewest, most) = (min(free.min() ?? 0, -mean), max(free.max() ?? 0, 0))
    let room = range - (most - fewest)
    // Without room, it is shared as it would be used; all of it is for loans where the rest is filling.
    var lowest = room > 0 ? fewest - room / 2 : min(fewest * range / (most - fewest), -mean)
    if price <= trials.prices.lowerBound { lowest = -range }
    lowest = min(lowest, mostSaved - range)
    return lowest...(lowest + range)
  }

  /// The price of each packet. Where one price for a part leads out of the limits, the part is divided where that is
  /// furthest out, and touches them there. Bits that do not fit in the buffer during silence are filling, and lost to
  /// what comes next: a part that counts on them is divided after the last packet that filled the buffer.
  private static func prices(_ budget: Budget, one: Double, limits: ClosedRange<Double>, debt: Double) -> [Double] {
    let trials = budget.trials
    let (count, lowest) = (trials.packetCount, trials.prices.lowerBound)
    var prices = [Double](repeating: one, count: count)
    var parts = [(packets: 0..<count, from: 0.0, to: 0.0)]
    while let part = parts.popLast() {
      let bits = part.from + budget.incomes[part.packets].reduce(0, +) - part.to
      var price = trials.price(part.packets, target: bits)
      if part.packets.upperBound == count, price > one {
        // A sudden end takes many bits: some of them need not be paid back.
        price = max(one, trials.price(part.packets, target: bits + debt))
      }
      let path = budget.credits(part.packets, price, from: part.from, most: limits.upperBound)
      // One that ends with less than it should counted on bits that were filling.
      let countsOnFilling = price <= lowest && one > lowest && (path.last ?? part.to) < part.to - 1
      let full = countsOnFilling ? path.dropLast().lastIndex { $0 >= limits.upperBound } : nil
      guard let border = full ?? furthestOut(path.dropLast(), of: limits) else {
        for packet in part.packets { prices[packet] = price }
        continue
      }
      let (middle, edge) = (part.packets.lowerBound + border + 1, path[border].clamped(to: limits))
      parts.append((part.packets.lowerBound..<middle, part.from, edge))
      parts.append((middle..<part.packets.upperBound, edge, part.to))
    }
    return prices
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

    /// The bits left over after each of some packets at a price: no more than the most, if that is the lowest price, as
    /// what does not fit in the decoder's buffer is filling then.
    func credits(_ packets: Range<Int>, _ price: Double, from credit: Double, most: Double) -> [Double] {
      var credit = credit
      let most = price > trials.prices.lowerBound ? .infinity : most
      return trials.bits(packets, price: price).enumerated().map { index, bits in
        credit = min(credit + incomes[packets.lowerBound + index] - bits, most)
        return credit
      }
    }
  }
}
