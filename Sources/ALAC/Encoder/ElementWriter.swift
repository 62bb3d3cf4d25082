/// Writes an element of a packet: one channel or a pair.
struct ElementWriter {
  let configuration: ALACConfiguration

  /// A channel, ready to be written.
  private struct Channel {
    var coefficients: [Int32]
    var residuals: [Int32]
    var cost: Int
  }

  /// Bits of the weights of a pair's mean.
  private static let mixShift: Int32 = 2

  /// Low bits of a sample that are not coded: of more than 16, nothing predicts them.
  private var lowBits: Int { configuration.bitDepth >= 24 ? configuration.bitDepth - 16 : 0 }
  private var residualWriter: ResidualWriter {
    ResidualWriter(
      multiplier: UInt32(configuration.historyMultiplier), initialMean: UInt32(configuration.initialHistory),
      limit: Int(configuration.riceLimit))
  }

  /// Writes an element, from its instance tag on.
  ///
  /// - Parameters:
  ///   - samples: of one channel or two.
  ///   - instance: the number of elements of this kind before it.
  func write(_ samples: [[Int32]], instance: Int, to writer: inout PacketWriter) {
    let count = samples[0].count
    let high = samples.map { $0.map { $0 >> Int32(lowBits) } }
    let (weight, mixed) = mixed(high)
    let width = configuration.bitDepth - lowBits + samples.count - 1
    let channels = mixed.map { channel($0, width: width) }
    let coded = channels.reduce(16) { $0 + 16 + 16 * $1.coefficients.count + $1.cost } + count * samples.count * lowBits
    let isRaw = coded >= count * samples.count * configuration.bitDepth
    writer.append(UInt32(instance), bits: 4)
    writer.append(0 as UInt32, bits: 12)
    writer.append(count == configuration.frameLength ? 0 : 1 as UInt32, bits: 1)
    writer.append(UInt32(isRaw ? 0 : lowBits / 8), bits: 2)
    writer.append(isRaw ? 1 : 0 as UInt32, bits: 1)
    if count != configuration.frameLength { writer.append(UInt32(count), bits: 32) }
    guard !isRaw else { return interleave(samples, configuration.bitDepth, to: &writer) }
    writer.append(weight == 0 ? 0 : ElementWriter.mixShift, bits: 8)
    writer.append(weight, bits: 8)
    for channel in channels {
      // Prediction in one step; a factor of four quarters.
      writer.append(0 as UInt32, bits: 4)
      writer.append(PredictionAnalysis.shift, bits: 4)
      writer.append(4 as UInt32, bits: 3)
      writer.append(UInt32(channel.coefficients.count), bits: 5)
      for coefficient in channel.coefficients { writer.append(coefficient, bits: 16) }
    }
    if lowBits > 0 { interleave(samples, lowBits, to: &writer) }
    for channel in channels { residualWriter.write(channel.residuals, width: width, to: &writer) }
  }

  /// Writes the lowest bits of all samples, frame after frame.
  private func interleave(_ samples: [[Int32]], _ width: Int, to writer: inout PacketWriter) {
    for frame in samples[0].indices { for channel in samples { writer.append(channel[frame], bits: width) } }
  }

  /// The coefficients that take the fewest bits.
  private func channel(_ samples: [Int32], width: Int) -> Channel {
    var best = Channel(coefficients: [], residuals: samples, cost: residualWriter.cost(samples, width: width))
    for coefficients in PredictionAnalysis.coefficients(samples) {
      let residuals = PredictionAnalysis.residuals(samples, coefficients, width: width)
      let cost = residualWriter.cost(residuals, width: width)
      // What coefficients themselves take is saved where one fewer does as well.
      if cost + 16 * coefficients.count < best.cost + 16 * best.coefficients.count {
        best = Channel(coefficients: coefficients, residuals: residuals, cost: cost)
      }
    }
    return best
  }

  /// Of a pair, a weighted mean and the difference, or the two as they are: whichever has the smallest second
  /// differences, which is about what prediction leaves.
  ///
  /// - Returns: the weight of the left one in quarters, 0 for as they are.
  private func mixed(_ samples: [[Int32]]) -> (Int32, [[Int32]]) {
    guard samples.count == 2 else { return (0, samples) }
    let (left, right) = (samples[0], samples[1])
    let difference = zip(left, right).map { $0 &- $1 }
    func mean(_ weight: Int32) -> [Int32] {
      zip(right, difference).map { $0 &+ ($1 &* weight) >> ElementWriter.mixShift }
    }
    var best = (weight: 0 as Int32, samples: samples, size: ElementWriter.size(left) + ElementWriter.size(right))
    let differenceSize = ElementWriter.size(difference)
    for weight in 1...4 as ClosedRange<Int32> {
      let mean = mean(weight)
      let size = ElementWriter.size(mean) + differenceSize
      if size < best.size { best = (weight, [mean, difference], size) }
    }
    return (best.weight, best.samples)
  }

  /// The logarithm of the mean second difference: about the bits that a sample takes.
  private static func size(_ samples: [Int32]) -> Int {
    guard samples.count > 2 else { return 0 }
    var sum: UInt64 = 1
    for index in 2..<samples.count {
      sum += UInt64((samples[index] &- 2 &* samples[index - 1] &+ samples[index - 2]).magnitude)
    }
    // In 1/256 of a bit: the leading bit, and what follows it.
    let top = 63 - sum.leadingZeroBitCount
    return top << 8 + Int(truncatingIfNeeded: (sum << UInt64(63 - top)) >> 55 & 0xFF)
  }
}
