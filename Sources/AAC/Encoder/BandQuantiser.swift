/// Quantises the lines of a scalefactor band and computes the cost: bits, and noise energy.
///
/// A line becomes `(|x| 2^(-(scalefactor - 100) / 4))^(3/4)`, rounded. More than half of the range is rounded down:
/// large values are rarer than small ones and cost more, and the cheaper neighbour is nearly as close. Source: ISO/IEC
/// 14496-3, 4.6.1.
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

  /// What is added before rounding down.
  static let rounding: Float = 0.4054
  /// Adding this leaves no bits for fractions in a float: the sum's low bits are the number, rounded to the nearest.
  private static let magic: Float = 12_582_912
  private static let offset: Float = rounding - 0.5
  private static let magicVector = SIMD4<Float>(repeating: magic)
  private static let magicNumber = SIMD4<Int32>(repeating: Int32(bitPattern: magic.bitPattern))
  private static let signShift = SIMD4<Int32>(repeating: 31)

  private let costs: SpectralCosts
  private let power43 = AlignedMemory<Float>(Codebook.largestMagnitude + 2)
  /// `2^(-3/16 (scalefactor - 100))`: the factor for magnitudes to the power of 3/4.
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
  ///   - absolute: magnitudes of the lines; these and the powers begin at a multiple of 16 bytes, as bands do.
  ///   - powers: the same to the power of 3/4.
  ///   - count: how many lines, a multiple of 4.
  @inline(__always)
  func cost(
    _ absolute: UnsafePointer<Float>, _ powers: UnsafePointer<Float>, count: Int, scalefactor: Int
  ) -> Cost {
    let (gain, offset, magic) = (gain34.start[scalefactor], BandQuantiser.offset, BandQuantiser.magic)
    let (size, magicBits) = (step.start[scalefactor], Int32(bitPattern: magic.bitPattern))
    let (target, power43) = (magnitudes.start, power43.start)
    var largest: Int32 = 0
    // Four sums, like the elements of a vector. Vectors themselves would be as fast, except in builds without
    // optimisation, where each operation on them is a loop.
    var (sum0, sum1, sum2, sum3): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var at = 0
    while at < count {
      let a = Int32(bitPattern: (powers[at] * gain + offset + magic).bitPattern) &- magicBits
      let b = Int32(bitPattern: (powers[at &+ 1] * gain + offset + magic).bitPattern) &- magicBits
      let c = Int32(bitPattern: (powers[at &+ 2] * gain + offset + magic).bitPattern) &- magicBits
      let d = Int32(bitPattern: (powers[at &+ 3] * gain + offset + magic).bitPattern) &- magicBits
      target[at] = a
      target[at &+ 1] = b
      target[at &+ 2] = c
      target[at &+ 3] = d
      let difference0 = absolute[at] - power43[Int(a)] * size
      let difference1 = absolute[at &+ 1] - power43[Int(b)] * size
      let difference2 = absolute[at &+ 2] - power43[Int(c)] * size
      let difference3 = absolute[at &+ 3] - power43[Int(d)] * size
      sum0 += difference0 * difference0
      sum1 += difference1 * difference1
      sum2 += difference2 * difference2
      sum3 += difference3 * difference3
      if a > largest { largest = a }
      if b > largest { largest = b }
      if c > largest { largest = c }
      if d > largest { largest = d }
      at &+= 4
    }
    return Cost(bits: bits(count: count, largest: largest), noise: sum0 + sum1 + sum2 + sum3, largest: largest)
  }

  /// Quantised lines of a band, signs included.
  func quantise(
    _ lines: UnsafePointer<Float>, _ powers: UnsafePointer<Float>, count: Int, scalefactor: Int,
    to target: UnsafeMutablePointer<Int32>
  ) {
    let gain = SIMD4<Float>(repeating: gain34.start[scalefactor])
    let offset = SIMD4<Float>(repeating: BandQuantiser.rounding - 0.5)
    let (magic, number) = (BandQuantiser.magicVector, BandQuantiser.magicNumber)
    let (lines, powers) = (lines.vectors, powers.vectors)
    let target = UnsafeMutableRawPointer(target).assumingMemoryBound(to: SIMD4<Int32>.self)
    var vector = 0
    while vector < count / 4 {
      let q = unsafeBitCast(powers[vector] * gain + offset + magic, to: SIMD4<Int32>.self) &- number
      let sign = unsafeBitCast(lines[vector], to: SIMD4<Int32>.self) &>> BandQuantiser.signShift
      target[vector] = (q ^ sign) &- sign
      vector &+= 1
    }
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
    let (q, table) = (magnitudes.start, table.start)
    var sum: UInt32 = 0
    var at = 0
    while at < count {
      let index = ((q[at] &* 3 &+ q[at &+ 1]) &* 3 &+ q[at &+ 2]) &* 3 &+ q[at &+ 3]
      sum &+= table[Int(index)]
      at &+= 4
    }
    return cheaper(sum)
  }

  @inline(__always)
  private func pairs(_ table: AlignedMemory<UInt32>, _ count: Int) -> Float {
    let (q, table) = (magnitudes.start, table.start)
    var sum: UInt32 = 0
    var at = 0
    while at < count {
      sum &+= table[Int(q[at] &* 17 &+ q[at &+ 1])]
      sum &+= table[Int(q[at &+ 2] &* 17 &+ q[at &+ 3])]
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
    let table = costs.pairs16.start
    var at = 0
    while at < count {
      let (x, y) = (q[at], q[at &+ 1])
      sum &+= Int(table[Int((x < 16 ? x : 16) &* 17 &+ (y < 16 ? y : 16))] & 0xFFFF)
      if x > 15 || y > 15 { sum &+= 16 &* (BandQuantiser.escapeBits(x) &+ BandQuantiser.escapeBits(y)) }
      at &+= 2
    }
    return Float(sum) * (1 / SpectralCosts.unit)
  }

  /// Bits of the value that follows an escape. Source: ISO/IEC 14496-3, 4.6.3.3.
  @inline(__always)
  static func escapeBits(_ magnitude: Int32) -> Int {
    magnitude < 16 ? 0 : 2 * (31 - magnitude.leadingZeroBitCount) - 3
  }
}
