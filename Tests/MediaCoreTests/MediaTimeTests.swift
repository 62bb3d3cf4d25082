import Foundation
import MediaCore
import TestSupport
import Testing

/// Times are fractions; what must hold of them is arithmetic, done here in other ways than the code's.
@Suite(.inTurn) struct MediaTimeTests {
  private static let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
  private static let scales: [UInt32] = [1, 2, 3, 1000, 44100, 90000, .max - 1, .max]

  @Test("half a second is half a second in any timescale, and hashes alike")
  func equalFractionsAreEqual() {
    let half = MediaTime(value: 1, timescale: 2)
    let same = MediaTime(value: 24000, timescale: 48000)
    #expect(half == same)
    #expect(half.hashValue == same.hashValue)
    #expect(Set([half, same, MediaTime(value: 2_147_483_647, timescale: 4_294_967_294)]).count == 1)
    #expect(MediaTime(value: 0, timescale: 7) == .zero)
    #expect(MediaTime(value: 0, timescale: 7).hashValue == MediaTime.zero.hashValue)
    #expect(MediaTime(value: -1, timescale: 2) != half)
  }

  @Test("a multiple of numerator and denominator changes neither equality nor hash")
  func multiplesAreEqual() {
    var noise = Noise(seed: 1)
    for _ in 0..<2000 {
      let value = Int64.random(in: -1_000_000...1_000_000, using: &noise)
      let scale = UInt32.random(in: 1...60000, using: &noise)
      let factor = UInt32.random(in: 1...60000, using: &noise)
      let time = MediaTime(value: value, timescale: scale)
      let multiple = MediaTime(value: value * Int64(factor), timescale: scale * factor)
      #expect(time == multiple)
      #expect(time.hashValue == multiple.hashValue)
      #expect(!(time < multiple) && !(multiple < time))
    }
  }

  @Test("neighbours that a Double cannot tell apart are told apart")
  func comparesExactly() {
    let large = MediaTime(value: .max, timescale: 1)
    let neighbour = MediaTime(value: .max - 1, timescale: 1)
    #expect(large.seconds == neighbour.seconds)
    #expect(neighbour < large)
    // 2^63 - 1 ticks of 1/(2^32 - 1) s against one tick less of the next coarser clock: the cross products need 95
    // bits.
    let fine = MediaTime(value: .max, timescale: .max)
    let coarse = MediaTime(value: .max, timescale: .max - 1)
    #expect(fine < coarse)
    #expect(fine != coarse)
  }

  @Test("the order is the order of the whole parts first, and of the remainders where those are equal")
  func ordersAsLongDivisionDoes() {
    for (a, b) in pairs() {
      let (wholeA, restA) = floored(a)
      let (wholeB, restB) = floored(b)
      // With equal whole parts the remainders decide: restA/scaleA against restB/scaleB, all below 2^32.
      let (left, right) = (restA * UInt64(b.timescale), restB * UInt64(a.timescale))
      #expect((a < b) == (wholeA != wholeB ? wholeA < wholeB : left < right), "\(a) < \(b)")
      #expect((a == b) == (wholeA == wholeB && left == right), "\(a) == \(b)")
    }
  }

  @Test(
    "conversion rounds down, to nearest and up as asked",
    arguments: [
      // 1024/44100 s are 2089.79… ticks of 90 kHz.
      (1024, 44100, 90000, 2089, 2090, 2090),
      (-1024, 44100, 90000, -2090, -2090, -2089),
      // A half goes up, on both sides of zero.
      (1, 2, 1, 0, 1, 1),
      (-1, 2, 1, -1, 0, 0),
      (3, 2, 1, 1, 2, 2),
      (-3, 2, 1, -2, -1, -1),
      // What divides evenly is not rounded at all.
      (1001, 30000, 120000, 4004, 4004, 4004),
      (-7, 7, 1, -1, -1, -1),
      (0, 44100, 48000, 0, 0, 0),
    ] as [(Int64, UInt32, UInt32, Int64, Int64, Int64)])
  func converts(value: Int64, from: UInt32, to: UInt32, down: Int64, nearest: Int64, up: Int64) {
    let time = MediaTime(value: value, timescale: from)
    #expect(time.converted(to: to, rounding: .down)?.value == down)
    #expect(time.converted(to: to, rounding: .nearest)?.value == nearest)
    #expect(time.converted(to: to)?.value == nearest)
    #expect(time.converted(to: to, rounding: .up)?.value == up)
    #expect(time.converted(to: to)?.timescale == to)
  }

  @Test("the extremes convert or say that they cannot, and nothing traps")
  func survivesExtremes() {
    #expect(MediaTime(value: .max, timescale: 1).converted(to: 2) == nil)
    #expect(MediaTime(value: .min, timescale: 1).converted(to: .max) == nil)
    #expect(MediaTime(value: .max, timescale: .max).converted(to: 1)?.value == 2_147_483_648)
    #expect(MediaTime(value: .min, timescale: 2).converted(to: 1)?.value == -4_611_686_018_427_387_904)
    #expect(MediaTime(value: .min, timescale: 5).converted(to: 5)?.value == .min)
    var conversions = 0
    for value in Self.extremes {
      for (scale, target) in Self.scales.flatMap({ scale in Self.scales.map { (scale, $0) } }) {
        let time = MediaTime(value: value, timescale: scale)
        let down = time.converted(to: target, rounding: .down)
        let up = time.converted(to: target, rounding: .up)
        let nearest = time.converted(to: target, rounding: .nearest)
        if let down { #expect(down <= time) }
        if let up { #expect(up >= time) }
        if let nearest { #expect(nearest == down || nearest == up) }
        if down != nil, up != nil { #expect(nearest != nil) }
        conversions += nearest == nil ? 0 : 1
      }
    }
    #expect(conversions > 0)
  }

  @Test("a timescale of 0, which means nothing, is taken as 1")
  func zeroTimescaleIsOne() {
    #expect(MediaTime(value: 5, timescale: 0) == MediaTime(value: 5, timescale: 1))
    #expect(MediaTime(value: 10, timescale: 2).converted(to: 0)?.value == 5)
    #expect(SampleTiming(decodeTime: 0, presentationTime: 0, duration: 0, timescale: 0).timescale == 1)
  }

  @Test("a time is printed as the fraction it is")
  func printsAsFraction() {
    #expect("\(MediaTime(value: 1024, timescale: 44100))" == "1024/44100")
    #expect(MediaTime(value: 1, timescale: 4).seconds == 0.25)
  }

  @Test("sums and differences are exact in the least common timescale")
  func exactSums() {
    let (half, third) = (MediaTime(value: 1, timescale: 2), MediaTime(value: 1, timescale: 3))
    #expect("\(half + third)" == "5/6")
    #expect("\(half - third)" == "1/6")
    #expect("\(third - half)" == "-1/6")
    // One timescale is a multiple of the other, or both have a divisor in common.
    #expect("\(MediaTime(value: 1, timescale: 1000) + MediaTime(value: 5, timescale: 90_000))" == "95/90000")
    #expect("\(MediaTime(value: 1, timescale: 44_100) + MediaTime(value: 1, timescale: 48_000))" == "307/7056000")
    #expect("\(MediaTime.zero + MediaTime(value: 7, timescale: 600))" == "7/600")
    var time = half
    time += third
    time -= half
    #expect(time == third)
  }

  @Test("where the common timescale does not fit, the sum is that of the finer one, rounded to the nearest tick")
  func roundedSums() {
    // Two primes above 2^16: their product takes 34 bits.
    let (one, other) = (MediaTime(value: 1, timescale: 65_537), MediaTime(value: 1, timescale: 131_071))
    // 131071/65537 ticks are 1.99995…, so 3 and -1 with the other's one.
    #expect("\(one + other)" == "3/131071" && "\(other + one)" == "3/131071")
    #expect("\(other - one)" == "-1/131071")
  }

  @Test("sums of any times, compared with a sum in 128 bits over the product of both timescales, and nothing traps")
  func sumsOfAnyTimes() {
    for (a, b) in pairs() {
      for (sum, sign) in [(a + b, 1), (a - b, -1)] as [(MediaTime, Int128)] {
        if sum.value == .max || sum.value == .min { continue }
        let (one, other) = (Int128(a.timescale), Int128(b.timescale))
        // Whole seconds and rests are apart, as the product of all three timescales takes 96 bits.
        let (wholeA, restA) = floored(a)
        let (wholeB, restB) = floored(b)
        let (whole, rest) = floored(sum)
        let seconds = Int128(wholeA) + sign * Int128(wholeB) - Int128(whole)
        let ticks = seconds * one * other + Int128(restA) * other + sign * Int128(restB) * one
        let error = ticks * Int128(sum.timescale) - Int128(rest) * one * other
        let common = UInt32(exactly: one * other / Int128(divisor(a.timescale, b.timescale)))
        #expect(common == nil ? 2 * error.magnitude <= UInt128(one * other) : error == 0, "\(a), \(b): \(sum)")
        #expect(common == nil || sum.timescale == common)
      }
    }
    let last = MediaTime(value: .max, timescale: 1)
    #expect((last + last).value == .max && (MediaTime(value: .min, timescale: 1) - last).value == .min)
  }

  private func divisor(_ one: UInt32, _ other: UInt32) -> UInt32 { other == 0 ? one : divisor(other, one % other) }

  @Test("a time is coded as its two numbers, and read back as the same fraction")
  func coding() throws {
    let time = MediaTime(value: -1024, timescale: 44_100)
    let data = try JSONEncoder().encode(time)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Int])
    #expect(object == ["value": -1024, "timescale": 44_100])
    #expect("\(try JSONDecoder().decode(MediaTime.self, from: data))" == "-1024/44100")
    let odd = Data(#"{"value":5,"timescale":0}"#.utf8)
    #expect("\(try JSONDecoder().decode(MediaTime.self, from: odd))" == "5/1")
    for broken in [#"{"value":5}"#, #"{"value":5,"timescale":-1}"#, #"{"value":1e30,"timescale":1}"#] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(MediaTime.self, from: Data(broken.utf8)) }
    }
  }

  private func pairs() -> [(MediaTime, MediaTime)] {
    var noise = Noise(seed: 2)
    var times = Self.extremes.flatMap { value in Self.scales.map { MediaTime(value: value, timescale: $0) } }
    for _ in 0..<40 {
      times.append(
        MediaTime(
          value: Int64.random(in: .min ... .max, using: &noise) >> Int64.random(in: 0...60, using: &noise),
          timescale: UInt32.random(in: 1 ... .max, using: &noise) >> UInt32.random(in: 0...31, using: &noise)))
    }
    return times.flatMap { a in times.map { (a, $0) } }
  }

  /// Whole seconds, rounded down, and the ticks beyond them.
  private func floored(_ time: MediaTime) -> (whole: Int64, rest: UInt64) {
    let scale = Int64(time.timescale)
    let (quotient, remainder) = time.value.quotientAndRemainder(dividingBy: scale)
    return remainder < 0 ? (quotient - 1, UInt64(remainder + scale)) : (quotient, UInt64(remainder))
  }

  @Test("differences and sums of any times are exact, or the nearest that 64 bits hold")
  func addsAndSubtractsWithoutOverflow() {
    for left in Self.extremes {
      for right in Self.extremes {
        for (one, other) in [(1, 1), (1, UInt32.max), (44100, 90000), (UInt32.max, UInt32.max - 1)] {
          let a = MediaTime(value: left, timescale: one)
          let b = MediaTime(value: right, timescale: other)
          let difference = Double(left) / Double(one) - Double(right) / Double(other)
          let found = Double(a.since(b, in: 600).value)
          let expected = min(max(difference * 600, -0x1p63), 0x1p63)
          #expect(abs(found - expected) <= max(abs(expected) * 1e-6, 4096), "\(a) since \(b)")
          let sum = Double(left) + Double(right) * Double(one) / Double(other)
          let total = min(max(sum, -0x1p63), 0x1p63)
          #expect(abs(Double(a.adding(b).value) - total) <= max(abs(total) * 1e-6, 4096), "\(a) and \(b)")
        }
        #expect(left.saturatingAdd(right) == Int64(clamping: Int128(left) + Int128(right)))
        #expect(left.saturatingSubtract(right) == Int64(clamping: Int128(left) - Int128(right)))
      }
    }
    // 1/3 s less 1/7 s is 4/21 s: 800 ticks of 1/4200 s exactly, though neither has a whole number of milliseconds.
    let third = MediaTime(value: 1, timescale: 3)
    let seventh = MediaTime(value: 1, timescale: 7)
    #expect(third.since(seventh, in: 4200).value == 800)
    #expect(seventh.since(third, in: 1000).value == -190)
    #expect(third.since(seventh, in: 1000, rounding: .up).value == 191)
    #expect(MediaTime(value: 5, timescale: 10).adding(third).value == 8)
    #expect(MediaTime(value: 5, timescale: 10).adding(third, rounding: .up).value == 9)
  }
}
