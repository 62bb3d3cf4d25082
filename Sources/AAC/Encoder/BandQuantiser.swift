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
  private let power43 = BandQuantiser.allPowers
  private let gain34 = BandQuantiser.allGains
  private let step = BandQuantiser.allSteps
  private let magnitudes = AlignedMemory<Int32>(1024)

  init(costs: SpectralCosts) {
    self.costs = costs
  }

  private static let allPowers = LookupTable<13, Float>(Quantisation.power43)
  /// `2^((scalefactor - 100) / 4)`.
  private static let allSteps = LookupTable<8, Float>(
    (0..<256).map { Float(Quantisation.gain(quarters: $0 - Quantisation.scalefactorOffset)) })
  /// `2^(-3/16 (scalefactor - 100))`: the factor for magnitudes to the power of 3/4.
  private static let allGains = LookupTable<8, Float>(
    (0..<256).map { Float(pow34(1 / Quantisation.gain(quarters: $0 - Quantisation.scalefactorOffset))) })

  private static func pow34(_ x: Double) -> Double { (x * x.squareRoot()).squareRoot() }

  /// Bits and noise of a band at a scalefactor.
  ///
  /// - Parameters:
  ///   - absolute: magnitudes of the lines; the caller ensures that these and the powers exist.
  ///   - powers: the same to the power of 3/4.
  ///   - count: how many lines, a multiple of 4, at most 1024: as many as there is room for magnitudes.
  @inline(__always)
  func cost(
    _ absolute: UnsafePointer<Float>, _ powers: UnsafePointer<Float>, count: Int, scalefactor: Int
  ) -> Cost {
    let (gain, offset, magic) = (gain34[scalefactor], BandQuantiser.offset, BandQuantiser.magic)
    // The lowest bits of a sum with `magic` are the number: so many that each of them is in the table of powers.
    let (size, numberBits): (Float, UInt32) = (step[scalefactor], UInt32(Codebook.largestMagnitude))
    let target = unsafe magnitudes.start
    var largest: Int32 = 0
    // Four sums, like the elements of a vector. Vectors themselves would be as fast, except in builds without
    // optimisation, where each operation on them is a loop.
    var (sum0, sum1, sum2, sum3): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var at = 0
    while at < count {
      let a = unsafe Int32(bitPattern: (powers[at] * gain + offset + magic).bitPattern & numberBits)
      let b = unsafe Int32(bitPattern: (powers[at &+ 1] * gain + offset + magic).bitPattern & numberBits)
      let c = unsafe Int32(bitPattern: (powers[at &+ 2] * gain + offset + magic).bitPattern & numberBits)
      let d = unsafe Int32(bitPattern: (powers[at &+ 3] * gain + offset + magic).bitPattern & numberBits)
      unsafe target[at] = a
      unsafe target[at &+ 1] = b
      unsafe target[at &+ 2] = c
      unsafe target[at &+ 3] = d
      let difference0 = unsafe absolute[at] - power43[Int(a)] * size
      let difference1 = unsafe absolute[at &+ 1] - power43[Int(b)] * size
      let difference2 = unsafe absolute[at &+ 2] - power43[Int(c)] * size
      let difference3 = unsafe absolute[at &+ 3] - power43[Int(d)] * size
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

  /// Quantises the lines of a band, signs included: whole vectors, which are checked to exist; all of a channel's
  /// buffers have as many.
  @inline(__always)
  func quantise(_ channel: ChannelSpectrum, from: Int, count: Int, scalefactor: Int) {
    let gain = SIMD4<Float>(repeating: gain34[scalefactor])
    let offset = SIMD4<Float>(repeating: BandQuantiser.rounding - 0.5)
    let (magic, number) = (BandQuantiser.magicVector, BandQuantiser.magicNumber)
    precondition((from | count) & 3 == 0 && from >= 0 && count >= 0 && from &+ count <= channel.lines.count)
    let (lines, powers) = unsafe (channel.lines.vectors, channel.powers.vectors)
    let target = unsafe UnsafeMutableRawPointer(channel.quantised.start).assumingMemoryBound(to: SIMD4<Int32>.self)
    var vector = from >> 2
    let end = vector &+ count >> 2
    while vector < end {
      let power = unsafe powers[vector]
      let q = SIMD4<Int32>(truncatingIfNeeded: (power * gain + offset + magic).words) &- number
      let sign = unsafe SIMD4<Int32>(truncatingIfNeeded: lines[vector].words) &>> BandQuantiser.signShift
      unsafe target[vector] = (q ^ sign) &- sign
      vector &+= 1
    }
  }

  /// Bits of what was quantised last: `count` lines, whose magnitudes these functions read.
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
  private func quads(_ table: SpectralCosts.Quads, _ count: Int) -> Float {
    let q = unsafe magnitudes.start
    var sum: UInt32 = 0
    var at = 0
    while at < count {
      let index = unsafe ((q[at] &* 3 &+ q[at &+ 1]) &* 3 &+ q[at &+ 2]) &* 3 &+ q[at &+ 3]
      sum &+= table[Int(index)]
      at &+= 4
    }
    return cheaper(sum)
  }

  @inline(__always)
  private func pairs(_ table: SpectralCosts.Pairs, _ count: Int) -> Float {
    let q = unsafe magnitudes.start
    var sum: UInt32 = 0
    var at = 0
    while at < count {
      unsafe sum &+= table[Int(q[at] &* 17 &+ q[at &+ 1])]
      unsafe sum &+= table[Int(q[at &+ 2] &* 17 &+ q[at &+ 3])]
      at &+= 4
    }
    return cheaper(sum)
  }

  @inline(__always)
  private func cheaper(_ sum: UInt32) -> Float {
    Float(min(sum & 0xFFFF, sum >> 16)) * (1 / SpectralCosts.unit)
  }

  private func escapes(_ count: Int) -> Float {
    let q = unsafe magnitudes.start
    var sum = 0
    var at = 0
    while at < count {
      let (x, y) = unsafe (q[at], q[at &+ 1])
      sum &+= Int(costs.pairs16[Int((x < 16 ? x : 16) &* 17 &+ (y < 16 ? y : 16))] & 0xFFFF)
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
