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
  /// The binary logarithm of a trial's price, and the sums of the bits of all packets before each, and of all.
  private var trials: [(price: Double, sums: [Double])] = []
  /// How many times more bits half the price takes, as a binary logarithm.
  private var slope = 0.25

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

  /// The binary logarithm of the price at which packets take so many bits.
  func price(_ packets: Range<Int>, target: Double) -> Double {
    let wanted = log2(max(target, 1))
    let guesses = trials.map { trial in
      (trial.price, log2(max(trial.sums[packets.upperBound] - trial.sums[packets.lowerBound], 1)) - wanted)
    }
    guard let (price, excess) = guesses.min(by: { abs($0.1) < abs($1.1) }) else { return 0 }
    return (price + excess / slope).clamped(to: prices)
  }

  /// The bits that packets take at a price.
  func bits(_ packets: Range<Int>, price: Double) -> [Double] {
    guard let trial = trials.min(by: { abs($0.price - price) < abs($1.price - price) }) else { return [] }
    let factor = exp2(slope * (trial.price - price))
    return packets.map { factor * (trial.sums[$0 + 1] - trial.sums[$0]) }
  }
}
