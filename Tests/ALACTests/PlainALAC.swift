import Lyrebird
import TestSupport

/// Packets of Apple Lossless made step by step as the format describes it, for what no encoder at hand writes: any
/// depth, any order, prediction in two steps, packets of any length, samples as they are.
struct PlainALAC {
  var bitDepth = 16
  var channels = 2
  var frameLength = 4096
  var order = 4
  /// Bits of the fraction of a coefficient.
  var shift = 9
  /// Bytes of each sample that are not coded.
  var lowBytes = 0
  var isRaw = false
  /// Whether residuals are made of differences of residuals.
  var isTwice = false
  var mixShift = 2
  var mixWeight = 1

  /// The configuration, as an `alac` box has it.
  func configuration(sampleRate: Int) -> [UInt8] {
    func u32(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    return u32(0) + u32(frameLength) + [0, UInt8(bitDepth), 40, 10, 14, UInt8(channels), 0, 255] + u32(0) + u32(0)
      + u32(sampleRate)
  }

  /// How many channels each element has, and its tag: single ones 0, pairs 1, the low frequencies 3.
  private var elements: [(tag: UInt32, channels: Int)] {
    let all: [[(UInt32, Int)]] = [
      [(0, 1)], [(1, 2)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 1)], [(0, 1), (1, 2), (1, 2)],
      [(0, 1), (1, 2), (1, 2), (3, 1)], [(0, 1), (1, 2), (1, 2), (0, 1), (3, 1)],
      [(0, 1), (1, 2), (1, 2), (1, 2), (3, 1)],
    ]
    return all[channels - 1]
  }

  /// A packet.
  ///
  /// - Parameter samples: of each channel, in the order of a packet.
  func packet(_ samples: [[Int]]) -> [UInt8] {
    var writer = BitWriter()
    var first = 0
    for (tag, count) in elements {
      writer.append(tag, bits: 3)
      write(Array(samples[first..<(first + count)]), to: &writer)
      first += count
    }
    writer.append(7, bits: 3)
    return writer.bytes
  }

  private func write(_ samples: [[Int]], to writer: inout BitWriter) {
    let count = samples[0].count
    writer.append(0, bits: 16)
    writer.append(count != frameLength)
    writer.append(UInt32(isRaw ? 0 : lowBytes), bits: 2)
    writer.append(isRaw)
    if count != frameLength { writer.append(UInt32(count), bits: 32) }
    guard !isRaw else {
      for frame in 0..<count { for channel in samples { writer.append(low(channel[frame], bitDepth), bits: bitDepth) } }
      return
    }
    let lowBits = 8 * lowBytes
    let width = bitDepth - lowBits + samples.count - 1
    let mixed = mix(samples.map { $0.map { $0 >> lowBits } })
    writer.append(UInt32(mixShift), bits: 8)
    writer.append(low(mixWeight, 8), bits: 8)
    for _ in samples {
      writer.append(isTwice ? 15 : 0, bits: 4)
      writer.append(UInt32(shift), bits: 4)
      writer.append(4, bits: 3)
      writer.append(UInt32(order), bits: 5)
      for coefficient in coefficients { writer.append(low(coefficient, 16), bits: 16) }
    }
    if lowBits > 0 {
      for frame in 0..<count { for channel in samples { writer.append(low(channel[frame], lowBits), bits: lowBits) } }
    }
    for channel in mixed {
      var residuals = residuals(channel, width)
      if isTwice { residuals = differences(residuals, width) }
      Golomb.write(residuals, width: width, to: &writer)
    }
  }

  /// Something to begin with: nearly the sample before.
  private var coefficients: [Int] { (0..<order).map { $0 == 0 ? 1 << shift - 1 : 0 } }

  private func mix(_ samples: [[Int]]) -> [[Int]] {
    guard samples.count == 2, mixWeight != 0 else { return samples }
    let difference = zip(samples[0], samples[1]).map { $0 - $1 }
    return [zip(samples[1], difference).map { $0 + ($1 * mixWeight) >> mixShift }, difference]
  }

  private func low(_ value: Int, _ bits: Int) -> UInt32 { UInt32(truncatingIfNeeded: value & (1 << bits - 1)) }

  private func wrapped(_ value: Int, _ width: Int) -> Int { (value << (64 - width)) >> (64 - width) }

  private func differences(_ samples: [Int], _ width: Int) -> [Int] {
    samples.indices.map { $0 == 0 ? samples[0] : wrapped(samples[$0] - samples[$0 - 1], width) }
  }

  private func residuals(_ samples: [Int], _ width: Int) -> [Int] {
    if order == 0 { return samples }
    var residuals = differences(samples, width)
    guard order < 31 else { return residuals }
    var weights = coefficients
    for index in samples.indices.dropFirst(order + 1) {
      let base = samples[index - order - 1]
      let sum = (0..<order).reduce(0) { $0 &+ weights[$1] &* wrapped(samples[index - 1 - $1] - base, 32) }
      var rest = wrapped(samples[index] - base - wrapped(sum &+ 1 << (shift - 1), 32) >> shift, width)
      residuals[index] = rest
      let sign = rest.signum()
      for tap in (0..<order).reversed() where rest * sign > 0 {
        let difference = wrapped(base - samples[index - 1 - tap], 32)
        let step = difference.signum() * sign
        weights[tap] = wrapped(weights[tap] - step, 16)
        rest -= ((difference * step) >> shift) * (order - tap)
      }
    }
    return residuals
  }
}

/// The adaptive code of residuals.
private enum Golomb {
  static func write(_ residuals: [Int], width: Int, to writer: inout BitWriter) {
    var (mean, afterRun, index) = (10, 0, 0)
    while index < residuals.count {
      let folded = residuals[index] >= 0 ? 2 * residuals[index] : -2 * residuals[index] - 1
      let bits = min(log2(mean >> 9 + 3), 14)
      write(folded - afterRun, bits: bits, full: width, to: &writer)
      index += 1
      mean = folded > 0xFFFF ? 0xFFFF : mean + folded * 40 - (mean * 40) >> 9
      afterRun = 0
      guard mean < 128, index < residuals.count else { continue }
      let run = residuals[index...].prefix { $0 == 0 }.count
      let runBits = 7 - (mean == 0 ? -1 : log2(mean)) + (mean + 16) >> 6
      write(min(run, 0xFFFF), bits: runBits, full: 16, to: &writer)
      index += min(run, 0xFFFF)
      (mean, afterRun) = (0, run < 0xFFFF ? 1 : 0)
    }
  }

  private static func log2(_ value: Int) -> Int { value.bitWidth - 1 - value.leadingZeroBitCount }

  private static func write(_ value: Int, bits: Int, full: Int, to writer: inout BitWriter) {
    let divisor = 1 << bits - 1
    let (ones, rest) = (value / divisor, value % divisor)
    guard ones < 9 else {
      writer.append(0x1FF, bits: 9)
      return writer.append(UInt32(truncatingIfNeeded: value & (1 << full - 1)), bits: full)
    }
    for _ in 0..<ones { writer.append(true) }
    writer.append(false)
    guard bits > 1 else { return }
    if rest == 0 { writer.append(0, bits: bits - 1) } else { writer.append(UInt32(rest + 1), bits: bits) }
  }
}
