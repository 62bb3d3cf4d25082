#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The sizes of a sound's packets at a few prices, from which those at other prices are estimated.
struct PriceTrials {
  /// Bits that all packets together are to take.
  let target: Double
  /// Binary logarithms of the lowest and the highest price.
  let prices: ClosedRange<Double>
  private var trials: [Trial] = []
  /// How many times more bits half the price takes, as a binary logarithm.
  private var slope = 0.25

  /// The binary logarithm of a trial's price, and the sums of the bits of all packets before each, and of all.
  private typealias Trial = (price: Double, sums: [Double])

  private static let slopes = 0.05...0.8
  /// Two trials whose prices are closer than this say nothing about the slope.
  private static let closest = 0.1

  init(target: Double, prices: ClosedRange<Double>) { (self.target, self.prices) = (target, prices) }

  /// How many trials there are.
  var count: Int { trials.count }

  /// How many packets there are.
  var packetCount: Int { (trials.first?.sums.count ?? 1) - 1 }

  /// Adds a trial.
  mutating func add(price: Double, bits: [Int]) {
    var sums = [0.0]
    for bits in bits { sums.append(sums[sums.count - 1] + Double(bits)) }
    if let last = trials.last, abs(price - last.price) > PriceTrials.closest {
      let change = log2(max(last.sums[last.sums.count - 1], 1) / max(sums[sums.count - 1], 1))
      slope = (change / (price - last.price)).clamped(to: PriceTrials.slopes)
    }
    trials.append((price, sums))
  }

  /// What packets take, estimated from one of the trials.
  struct Estimate {
    let packets: Range<Int>
    /// The price's binary logarithm.
    let price: Double
    /// The bits of each packet.
    let bits: [Double]
  }

  /// The price at which packets take so many bits together, within the prices that there are.
  func estimate(_ packets: Range<Int>, target: Double) -> Estimate {
    let wanted = log2(max(target, 1))
    let excesses = trials.map { log2(max($0.sums[packets.upperBound] - $0.sums[packets.lowerBound], 1)) - wanted }
    guard let nearest = trials.indices.min(by: { abs(excesses[$0]) < abs(excesses[$1]) }) else {
      return Estimate(packets: packets, price: 0, bits: [])
    }
    let price = (trials[nearest].price + excesses[nearest] / slope).clamped(to: prices)
    return estimate(packets, price: price, by: trials[nearest])
  }

  /// What packets take at a price.
  func estimate(_ packets: Range<Int>, price: Double) -> Estimate {
    guard let trial = trials.min(by: { abs($0.price - price) < abs($1.price - price) }) else {
      return Estimate(packets: packets, price: price, bits: [])
    }
    return estimate(packets, price: price, by: trial)
  }

  private func estimate(_ packets: Range<Int>, price: Double, by trial: Trial) -> Estimate {
    let factor = exp2(slope * (trial.price - price))
    let bits = packets.map { factor * (trial.sums[$0 + 1] - trial.sums[$0]) }
    return Estimate(packets: packets, price: price, bits: bits)
  }
}
