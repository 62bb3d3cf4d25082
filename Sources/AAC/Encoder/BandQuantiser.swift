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
    /// Energy of the difference; infinite if all lines become 0.
    var noise: Float
  }

  /// What is added before rounding down.
  static let rounding: Float = 0.4054
  /// Adding this leaves no bits for fractions in a float: the sum's low bits are the number, rounded to the nearest.
  private static let magic: Float = 12_582_912
  private static let offset: Float = rounding - 0.5

  private let costs: SpectralCosts
  private let power43 = BandQuantiser.allPowers
  private let gain34 = BandQuantiser.allGains
  private let step = BandQuantiser.allSteps

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
  ///   - lines: the lines; the caller ensures that these and the powers exist.
  ///   - powers: their magnitudes to the power of 3/4.
  ///   - count: how many lines, a multiple of 4.
  ///   - peak: the largest power. It becomes the largest magnitude, which tells the class of books beforehand.
  @inline(__always)
  func cost(
    _ lines: UnsafePointer<Float>, _ powers: UnsafePointer<Float>, count: Int, scalefactor: Int, peak: Float
  ) -> Cost {
    let lines = unsafe Lines(lines: lines, powers: powers, count: count, gain: gain34[scalefactor])
    let (size, power43) = (step[scalefactor], power43)
    let largest = BandQuantiser.magnitude(peak, lines.gain)
    // What a magnitude stands for. More than half of all lines are in bands with none above 2, where selecting one of two
    // values takes less time than reading it from the table.
    let twice = power43[2] * size
    let upTo1 = { (q: Int32) in BandQuantiser.select(size, if: q) }
    let upTo2 = { (q: Int32) in BandQuantiser.select(size, if: q & 1) + BandQuantiser.select(twice, if: q &>> 1) }
    let listed = { (q: Int32) in power43[Int(q)] * size }
    let (noise, bits): (Float, UInt32) =
      switch largest {
      case 0: (.infinity, 0)
      case 1: sum(lines, upTo1) { costs.quads1[BandQuantiser.index1($0, $1, $2, $3)] }
      case 2: sum(lines, upTo2) { costs.quads2[BandQuantiser.index2($0, $1, $2, $3)] }
      case ...4: sum(lines, listed) { pairs(costs.pairs4, $0, $1, $2, $3) }
      case ...7: sum(lines, listed) { pairs(costs.pairs7, $0, $1, $2, $3) }
      case ...12: sum(lines, listed) { pairs(costs.pairs12, $0, $1, $2, $3) }
      case ...15: sum(lines, listed) { pairs(costs.pairs16, $0, $1, $2, $3) }
      default: sum(lines, listed) { escape($0, $1) &+ escape($2, $3) }
      }
    // Of two books, the cheaper one; escapes have only one.
    let sixteenths = largest > 15 ? bits : min(bits & 0xFFFF, bits >> 16)
    return Cost(bits: Float(sixteenths) * (1 / SpectralCosts.unit), noise: noise)
  }

  /// The lines of a band, `count` of each, and what they are quantised with.
  @safe private struct Lines {
    let lines: UnsafePointer<Float>
    let powers: UnsafePointer<Float>
    let count: Int
    let gain: Float
  }

  /// The lowest bits of a sum with `magic` are the number: so many that each of them is in the table of powers.
  @inline(__always)
  private static func magnitude(_ power: Float, _ gain: Float) -> Int32 {
    Int32(bitPattern: (power * gain + offset + magic).bitPattern & UInt32(Codebook.largestMagnitude))
  }

  /// The value, or 0 if the bit is 0.
  @inline(__always)
  private static func select(_ value: Float, if bit: Int32) -> Float {
    Float(bitPattern: value.bitPattern & UInt32(bitPattern: 0 &- bit))
  }

  /// The noise of lines, and the sum of a function of each four magnitudes.
  ///
  /// Four sums, like the elements of a vector. Vectors themselves would be as fast, except in builds without
  /// optimisation, where each operation on them is a loop.
  ///
  /// - Parameters:
  ///   - lines: what is quantised.
  ///   - value: what a magnitude stands for.
  ///   - bits: what four magnitudes cost.
  @inline(__always)
  private func sum(
    _ lines: Lines, _ value: (Int32) -> Float, _ bits: (Int32, Int32, Int32, Int32) -> UInt32
  ) -> (noise: Float, bits: UInt32) {
    let (source, powers, gain) = unsafe (lines.lines, lines.powers, lines.gain)
    var (sum0, sum1, sum2, sum3): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var (total, at): (UInt32, Int) = (0, 0)
    while at < lines.count {
      let a = unsafe BandQuantiser.magnitude(powers[at], gain)
      let b = unsafe BandQuantiser.magnitude(powers[at &+ 1], gain)
      let c = unsafe BandQuantiser.magnitude(powers[at &+ 2], gain)
      let d = unsafe BandQuantiser.magnitude(powers[at &+ 3], gain)
      total &+= bits(a, b, c, d)
      let difference0 = unsafe BandQuantiser.absolute(source[at]) - value(a)
      let difference1 = unsafe BandQuantiser.absolute(source[at &+ 1]) - value(b)
      let difference2 = unsafe BandQuantiser.absolute(source[at &+ 2]) - value(c)
      let difference3 = unsafe BandQuantiser.absolute(source[at &+ 3]) - value(d)
      sum0 += difference0 * difference0
      sum1 += difference1 * difference1
      sum2 += difference2 * difference2
      sum3 += difference3 * difference3
      at &+= 4
    }
    return (sum0 + sum1 + sum2 + sum3, total)
  }

  /// Like `abs`, which is a call without optimisation.
  @inline(__always)
  private static func absolute(_ line: Float) -> Float { Float(bitPattern: line.bitPattern & 0x7FFF_FFFF) }

  /// Twice the index of four magnitudes up to 1, in base 2. Products of vectors take long, so a digit's value is added if its
  /// bit is set.
  @inline(__always)
  private static func index1(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Int {
    Int((0 &- a) & 16 &+ (0 &- b) & 8 &+ (0 &- c) & 4 &+ (0 &- d) & 2)
  }

  /// Twice the index of four magnitudes up to 2, in base 3.
  @inline(__always)
  private static func index2(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Int {
    Int(digit(a, 54) &+ digit(b, 18) &+ digit(c, 6) &+ digit(d, 2))
  }

  /// A magnitude up to 2, times a number.
  @inline(__always)
  private static func digit(_ q: Int32, _ value: Int32) -> Int32 {
    (0 &- (q & 1)) & value &+ (0 &- q &>> 1) & (2 &* value)
  }

  @inline(__always)
  private func pairs(_ table: SpectralCosts.Pairs, _ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> UInt32 {
    table[Int(a &* 17 &+ b)] &+ table[Int(c &* 17 &+ d)]
  }

  /// Bits of two lines in the book with escapes. Without branches: which of two lines are large is hard to predict.
  @inline(__always)
  private func escape(_ x: Int32, _ y: Int32) -> UInt32 {
    let bits = costs.pairs16[Int((x < 16 ? x : 16) &* 17 &+ (y < 16 ? y : 16))] & 0xFFFF
    return bits &+ 16 &* UInt32(truncatingIfNeeded: BandQuantiser.escapeBits(x) &+ BandQuantiser.escapeBits(y))
  }

  /// Quantises the lines of a band, signs included: whole vectors, which are checked to exist; all of a channel's
  /// buffers have as many.
  @inline(__always)
  func quantise(_ channel: ChannelSpectrum, from: Int, count: Int, scalefactor: Int) {
    let gain = SIMD4<Float>(repeating: gain34[scalefactor])
    let offset = SIMD4<Float>(repeating: BandQuantiser.rounding - 0.5)
    let magic = SIMD4<Float>(repeating: BandQuantiser.magic)
    let number = SIMD4<Int32>(repeating: Int32(bitPattern: BandQuantiser.magic.bitPattern))
    let signShift = SIMD4<Int32>(repeating: 31)
    precondition((from | count) & 3 == 0 && from >= 0 && count >= 0 && from &+ count <= channel.lines.count)
    let (lines, powers) = unsafe (channel.lines.vectors, channel.powers.vectors)
    let target = unsafe UnsafeMutableRawPointer(channel.quantised.start).assumingMemoryBound(to: SIMD4<Int32>.self)
    var vector = from >> 2
    let end = vector &+ count >> 2
    while vector < end {
      let power = unsafe powers[vector]
      let q = SIMD4<Int32>(truncatingIfNeeded: (power * gain + offset + magic).words) &- number
      let sign = unsafe SIMD4<Int32>(truncatingIfNeeded: lines[vector].words) &>> signShift
      unsafe target[vector] = (q ^ sign) &- sign
      vector &+= 1
    }
  }

  /// Bits of the value that follows an escape. Source: ISO/IEC 14496-3, 4.6.3.3.
  ///
  /// The lowest bits are set so that the number is never 0, for which zeros would be counted in a slower way.
  @inline(__always)
  static func escapeBits(_ magnitude: Int32) -> Int {
    magnitude < 16 ? 0 : 2 &* (31 &- (magnitude | 15).leadingZeroBitCount) &- 3
  }
}
