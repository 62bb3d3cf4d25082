/// Quantises the lines of a scalefactor band and computes the cost: bits, and noise energy.
///
/// A line becomes `(|x| 2^(-(scalefactor - 100) / 4))^(3/4)`, rounded. More than half of the range is rounded down:
/// large values are rarer than small ones and cost more, and the cheaper neighbour is nearly as close. Source: ISO/IEC
/// 14496-3, 4.6.1.
struct BandQuantiser {
  /// The cost of a band at one scalefactor.
  struct Cost {
    /// Bits of the lines in the cheaper book of the class.
    var bits: Float
    /// Energy of the difference; infinite if all lines become 0.
    var noise: Float
  }

  /// Added before rounding down.
  static let rounding: Float = 0.4054
  /// Adding this leaves no bits for fractions in a float: the sum's low bits are the number, rounded to the nearest.
  private static let magic: Float = 12_582_912
  private static let offset: Float = rounding - 0.5

  private let costs: SpectralCosts
  private let power43 = BandQuantiser.allPowers
  private let pairs3 = BandQuantiser.allPairs3
  private let pairs17 = BandQuantiser.allPairs17
  private let gain34 = BandQuantiser.allGains
  private let step = BandQuantiser.allSteps

  init(costs: SpectralCosts) {
    self.costs = costs
  }

  /// The value of each magnitude, in steps: the magnitude to the power of 4/3.
  private static let allPowers = LookupTable<13, Float>(Quantisation.power43)
  /// The values of two magnitudes, at their index in base 3 and in base 17.
  private static let allPairs3 = LookupTable<4, SIMD2<Float>>(powersOfPairs(base: 3))
  private static let allPairs17 = LookupTable<9, SIMD2<Float>>(powersOfPairs(base: 17))
  /// `2^((scalefactor - 100) / 4)`.
  private static let allSteps = LookupTable<8, Float>(
    (0..<256).map { Float(Quantisation.gain(quarters: $0 - Quantisation.scalefactorOffset)) })
  /// `2^(-3/16 (scalefactor - 100))`: the factor for magnitudes to the power of 3/4.
  private static let allGains = LookupTable<8, Float>(
    (0..<256).map { Float(pow34(1 / Quantisation.gain(quarters: $0 - Quantisation.scalefactorOffset))) })

  private static func powersOfPairs(base: Int) -> [SIMD2<Float>] {
    (0..<base * base).map { SIMD2(allPowers[$0 / base], allPowers[$0 % base]) }
  }

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
    let size = step[scalefactor]
    let largest = BandQuantiser.magnitude(peak, lines.gain)
    let (noise, bits): (Float, UInt32) =
      switch largest {
      case 0: (.infinity, 0)
      case 1: sum(lines, size) { ones($0, $1, $2, $3) }
      case 2: sum(lines, size) { twos($0, $1, $2, $3) }
      case ...4: sum(lines, size) { pairs(costs.pairs4, $0, $1, $2, $3) }
      case ...7: sum(lines, size) { pairs(costs.pairs7, $0, $1, $2, $3) }
      case ...12: sum(lines, size) { pairs(costs.pairs12, $0, $1, $2, $3) }
      case ...15: sum(lines, size) { pairs(costs.pairs16, $0, $1, $2, $3) }
      default: sum(lines, size) { escapes($0, $1, $2, $3) }
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

  /// The values of four magnitudes, in steps, and the bits that they cost.
  private typealias Four = (bits: UInt32, a: Float, b: Float, c: Float, d: Float)

  /// The noise of lines, and the sum of what each four magnitudes cost.
  ///
  /// Four sums, like the elements of a vector. Vectors themselves would be as fast, except in builds without
  /// optimisation, where each operation on them is a loop.
  ///
  /// - Parameters:
  ///   - lines: what is quantised.
  ///   - size: the size of a step.
  ///   - look: looks up what four magnitudes stand for and cost.
  @inline(__always)
  private func sum(
    _ lines: Lines, _ size: Float, _ look: (Int32, Int32, Int32, Int32) -> Four
  ) -> (noise: Float, bits: UInt32) {
    let (source, powers, gain) = unsafe (lines.lines, lines.powers, lines.gain)
    var (sum0, sum1, sum2, sum3): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var (total, at): (UInt32, Int) = (0, 0)
    while at < lines.count {
      let a = unsafe BandQuantiser.magnitude(powers[at], gain)
      let b = unsafe BandQuantiser.magnitude(powers[at &+ 1], gain)
      let c = unsafe BandQuantiser.magnitude(powers[at &+ 2], gain)
      let d = unsafe BandQuantiser.magnitude(powers[at &+ 3], gain)
      let four = look(a, b, c, d)
      total &+= four.bits
      let difference0 = unsafe BandQuantiser.absolute(source[at]) - four.a * size
      let difference1 = unsafe BandQuantiser.absolute(source[at &+ 1]) - four.b * size
      let difference2 = unsafe BandQuantiser.absolute(source[at &+ 2]) - four.c * size
      let difference3 = unsafe BandQuantiser.absolute(source[at &+ 3]) - four.d * size
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

  /// Four magnitudes up to 1. Each is made a mask that selects a digit of the index and a value: to multiply vectors of
  /// whole numbers takes longer.
  @inline(__always)
  private func ones(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Four {
    let (a, b, c, d) = (0 &- a, 0 &- b, 0 &- c, 0 &- d)
    let twiceIndex = Int(a & 16 &+ b & 8 &+ c & 4 &+ d & 2)
    let one = { (mask: Int32) in Float(bitPattern: UInt32(bitPattern: mask) & Float(1).bitPattern) }
    return (costs.quads1[twiceIndex], one(a), one(b), one(c), one(d))
  }

  /// Four magnitudes up to 2. What two of them stand for is read at once.
  @inline(__always)
  private func twos(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Four {
    let (first, second) = (Int(3 &* a &+ b), Int(3 &* c &+ d))
    let (x, y) = (pairs3[first], pairs3[second])
    return (costs.quads2[9 &* first &+ second], x.x, x.y, y.x, y.y)
  }

  /// Four magnitudes up to 15.
  @inline(__always)
  private func pairs(_ table: SpectralCosts.Pairs, _ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Four {
    let (first, second) = (Int(17 &* a &+ b), Int(17 &* c &+ d))
    let (x, y) = (pairs17[first], pairs17[second])
    return (table[first] &+ table[second], x.x, x.y, y.x, y.y)
  }

  /// Four magnitudes of any size.
  @inline(__always)
  private func escapes(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Four {
    (escape(a, b) &+ escape(c, d), power43[Int(a)], power43[Int(b)], power43[Int(c)], power43[Int(d)])
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
