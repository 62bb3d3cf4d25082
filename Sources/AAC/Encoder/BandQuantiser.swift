/// Quantises the lines of a scalefactor band and says what it costs: bits, and noise energy.
///
/// A line becomes `(|x| 2^(-(scalefactor - 100) / 4))^(3/4)`, rounded. Rounding is down for more than half of the way:
/// large values are rarer than small ones and cost more, and the cheaper neighbour is nearly as near.
/// Source: ISO/IEC 14496-3, 4.6.1.
struct BandQuantiser {
  /// What a band costs at one scalefactor.
  struct Cost {
    /// Bits of the lines in the cheaper book of the class.
    var bits: Float
    /// Energy of the difference.
    var noise: Float
    /// The largest magnitude.
    var largest: Int32
  }

  /// What is added ahead of rounding down.
  static let rounding: Float = 0.4054
  /// Adding this leaves no bits for fractions in a float: the sum's low bits are the number, rounded to the nearest.
  private static let magic: Float = 12_582_912

  private let costs: SpectralCosts
  private let power43 = AlignedMemory<Float>(Codebook.largestMagnitude + 2)
  /// `2^(-3/16 (scalefactor - 100))`: what magnitudes to the power of 3/4 are multiplied with.
  let gain34 = AlignedMemory<Float>(256)
  /// `2^((scalefactor - 100) / 4)`.
  let step = AlignedMemory<Float>(256)
  private let magnitudes = AlignedMemory<Int32>(1024)

  init(costs: SpectralCosts) {
    self.costs = costs
    for (index, power) in Quantisation.power43.enumerated() { power43[index] = power }
    for scalefactor in 0..<256 {
      let quarters = scalefactor - Quantisation.scalefactorOffset
      step[scalefactor] = Float(Quantisation.gain(quarters: quarters))
      gain34[scalefactor] = Float(pow34(1 / Quantisation.gain(quarters: quarters)))
    }
  }

  private func pow34(_ x: Double) -> Double { (x * x.squareRoot()).squareRoot() }

  /// Bits and noise of a band at a scalefactor.
  ///
  /// - Parameters:
  ///   - absolute: magnitudes of the lines.
  ///   - powers: the same to the power of 3/4.
  ///   - count: how many, a multiple of 4.
  @inline(__always)
  func cost(
    _ absolute: UnsafePointer<Float>, _ powers: UnsafePointer<Float>, count: Int, scalefactor: Int
  ) -> Cost {
    let gain = SIMD4<Float>(repeating: gain34.start[scalefactor])
    let offset = SIMD4<Float>(repeating: BandQuantiser.rounding - 0.5)
    let size = step.start[scalefactor]
    let target = magnitudes.start
    var largest = SIMD4<Int32>()
    var noise = SIMD4<Float>()
    var at = 0
    while at < count {
      let q = quantised(load4(powers, at), gain, offset)
      largest.replace(with: q, where: q .> largest)
      UnsafeMutableRawPointer(target + at).storeBytes(of: q, as: SIMD4<Int32>.self)
      let restored = SIMD4(
        power43.start[Int(q[0])], power43.start[Int(q[1])], power43.start[Int(q[2])], power43.start[Int(q[3])])
      let difference = load4(absolute, at) - restored * size
      noise += difference * difference
      at &+= 4
    }
    let top = max(max(largest.x, largest.y), max(largest.z, largest.w))
    return Cost(bits: bits(count: count, largest: top), noise: noise.sum(), largest: top)
  }

  /// Quantised lines of a band, signs included.
  func quantise(
    _ lines: UnsafePointer<Float>, _ powers: UnsafePointer<Float>, count: Int, scalefactor: Int,
    to target: UnsafeMutablePointer<Int32>
  ) {
    let gain = SIMD4<Float>(repeating: gain34.start[scalefactor])
    let offset = SIMD4<Float>(repeating: BandQuantiser.rounding - 0.5)
    for at in stride(from: 0, to: count, by: 4) {
      let q = quantised(load4(powers, at), gain, offset)
      let sign = unsafeBitCast(load4(lines, at), to: SIMD4<Int32>.self) &>> 31
      UnsafeMutableRawPointer(target + at).storeBytes(of: (q ^ sign) &- sign, as: SIMD4<Int32>.self)
    }
  }

  @inline(__always)
  private func quantised(
    _ powers: SIMD4<Float>, _ gain: SIMD4<Float>, _ offset: SIMD4<Float>
  ) -> SIMD4<Int32> {
    unsafeBitCast(powers * gain + offset + BandQuantiser.magic, to: SIMD4<Int32>.self)
      &- SIMD4(repeating: Int32(bitPattern: BandQuantiser.magic.bitPattern))
  }

  @inline(__always)
  private func load4(_ pointer: UnsafePointer<Float>, _ index: Int) -> SIMD4<Float> {
    UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD4<Float>.self)
  }

  /// Bits of what was quantised last.
  @inline(__always)
  private func bits(count: Int, largest: Int32) -> Float {
    switch largest {
    case 0: 0
    case 1: quads(costs.quads1, count)
    case 2: quads(costs.quads2, count)
    case ...4: pairs(costs.pairs4, count)
    case ...7: pairs(costs.pairs7, count)
    case ...12: pairs(costs.pairs12, count)
    case ...15: pairs(costs.pairs16, count)
    default: escapes(count)
    }
  }

  @inline(__always)
  private func quads(_ table: AlignedMemory<UInt32>, _ count: Int) -> Float {
    let q = magnitudes.start
    var sum: UInt32 = 0
    var at = 0
    while at < count {
      let index = ((q[at] &* 3 &+ q[at &+ 1]) &* 3 &+ q[at &+ 2]) &* 3 &+ q[at &+ 3]
      sum &+= table.start[Int(index)]
      at &+= 4
    }
    return cheaper(sum)
  }

  @inline(__always)
  private func pairs(_ table: AlignedMemory<UInt32>, _ count: Int) -> Float {
    let q = magnitudes.start
    var sum: UInt32 = 0
    var at = 0
    while at < count {
      sum &+= table.start[Int(q[at] &* 17 &+ q[at &+ 1])]
      sum &+= table.start[Int(q[at &+ 2] &* 17 &+ q[at &+ 3])]
      at &+= 4
    }
    return cheaper(sum)
  }

  @inline(__always)
  private func cheaper(_ sum: UInt32) -> Float {
    Float(min(sum & 0xFFFF, sum >> 16)) * (1 / SpectralCosts.unit)
  }

  private func escapes(_ count: Int) -> Float {
    let q = magnitudes.start
    var sum = 0
    for at in stride(from: 0, to: count, by: 2) {
      sum += Int(costs.pairs16.start[Int(min(q[at], 16) * 17 + min(q[at + 1], 16))] & 0xFFFF)
      sum += 16 * (BandQuantiser.escapeBits(q[at]) + BandQuantiser.escapeBits(q[at + 1]))
    }
    return Float(sum) * (1 / SpectralCosts.unit)
  }

  /// Bits of the value that follows an escape. Source: ISO/IEC 14496-3, 4.6.3.3.
  @inline(__always)
  static func escapeBits(_ magnitude: Int32) -> Int {
    magnitude < 16 ? 0 : 2 * (31 - magnitude.leadingZeroBitCount) - 3
  }
}
