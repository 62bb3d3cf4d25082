import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// The prices of a sound that is known from beginning to end.
@Suite("AAC encoder: sounds that are planned as a whole", .inTurn)
struct PricePlanTests {
  private static let mean = 1000.0
  private static let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 1)

  /// What packets of a difficulty take at a price, by the law that `PriceTrials` assumes.
  private func bits(_ difficulties: [Double], price: Double) -> [Int] {
    difficulties.map { Int($0 * exp2(-0.25 * price)) }
  }

  private func plan(_ difficulties: [Double], range: Double?) -> PricePlan {
    var trials = PriceTrials(target: Self.mean * Double(difficulties.count - 1), prices: -14...12)
    for price in [0.0, -2] { trials.add(price: price, bits: bits(difficulties, price: price)) }
    return PricePlan(trials, mean: Self.mean, range: range, mostSaved: 4 * Self.mean, debt: 0)
  }

  /// A stroke that fades, silence, a swell, and some chance.
  private static let difficulties: [Double] = {
    var noise = Noise(state: 7)
    return (0..<200).map { packet in
      let level: Double =
        switch packet {
        case ..<90: 3000 * exp(-Double(packet) / 20) + 300
        case ..<110: 20
        default: 300 + 20 * Double(packet - 110)
        }
      return level * Double.random(in: 0.8...1.2, using: &noise)
    }
  }()

  @Test("without limits there is one price, at which all packets take what they may")
  func onePrice() {
    let plan = plan(Self.difficulties, range: nil)
    let prices = Set(Self.difficulties.indices.map(plan.price))
    #expect(prices.count == 1)
    let total = bits(Self.difficulties, price: plan.price(0)).reduce(0, +)
    #expect(abs(Double(total) / (Self.mean * 199) - 1) < 0.005, "\(total)")
  }

  /// A price that changed elsewhere would move bits to where they do less good.
  @Test("the price changes only where the decoder's buffer is full or empty", arguments: [3000.0, 6000, 10_000])
  func changesOfPrice(range: Double) {
    let plan = plan(Self.difficulties, range: range)
    let (lowest, highest) = (plan.limits.lowerBound, plan.limits.upperBound)
    #expect(abs(highest - lowest - range) < 1)
    var changes = 0
    for packet in 1..<Self.difficulties.count {
      #expect((lowest - 2...highest + 2).contains(plan.credit(packet)))
      guard plan.price(packet) != plan.price(packet - 1) else { continue }
      changes += 1
      let distance = min(plan.credit(packet) - lowest, highest - plan.credit(packet))
      #expect(abs(distance) < 2, "\(packet): \(plan.credit(packet))")
    }
    #expect(changes > 2)
    #expect(abs(plan.credit(Self.difficulties.count)) < 2)
  }

  /// The price of a part and the bits of its packets came from two trials. So the last packets of a part had to make up
  /// for what these differed in: the end of a cymbal had packets of 560 bytes between empty ones.
  @Test("no packet makes up for trials that do not agree", arguments: [2000.0, 3000, 4500, 6000, 10_000])
  func bentTrials(range: Double) {
    var noise = Noise(state: 8)
    let cymbal = (0..<200).map { 1000 * exp(-Double($0) / 200) * Double.random(in: 0.8...1.2, using: &noise) }
    var trials = PriceTrials(target: Self.mean * Double(cymbal.count - 1), prices: -14...12)
    // The lower the price, the more half of it adds.
    for price in [-1.5, 0.5, 0.2] {
      trials.add(price: price, bits: cymbal.map { Int($0 * exp2(-0.25 * price + 0.08 * price * price)) })
    }
    let plan = PricePlan(trials, mean: Self.mean, range: range, mostSaved: 4 * Self.mean, debt: 0)
    let worst = cymbal.indices.map { abs(plan.price($0)) }.max() ?? 0
    #expect(worst < 6)
  }

  @Test(
    "silence at the beginning saves up what the buffer holds, and the price of what follows does not depend on more")
  func silence() {
    let sound = [Double](repeating: 1500, count: 50)
    let prices = [30, 300].map { silent in
      plan([Double](repeating: 10, count: silent) + sound, range: 5000).price(silent + 10)
    }
    #expect(abs(prices[0] - prices[1]) < 0.2, "\(prices)")
  }

  /// They took the bits that silence had left over and that did not fit in the buffer, so a word began with an empty
  /// one.
  @Test("soft packets between silence and a word leave the word what the buffer holds")
  func softBeginning() {
    let (silence, soft, word) = (30, 6, 60)
    let parts = [(silence, 10.0), (soft, 350), (word, 1500), (soft, 350), (silence, 10)]
    let difficulties = parts.flatMap { [Double](repeating: $0.1, count: $0.0) }
    let plan = plan(difficulties, range: 5000)
    for packet in 0...difficulties.count {
      #expect((plan.limits.lowerBound - 2...plan.limits.upperBound + 2).contains(plan.credit(packet)), "\(packet)")
    }
    let saved = plan.credit(silence + soft)
    #expect(abs(saved - plan.limits.upperBound) < 2, "\(saved), \(plan.limits)")
  }

  /// A struck bar: partials that fade within a fifth of a second, to almost nothing.
  private func struckBar(frames: Int = 60_000) -> [Float] {
    var noise = Noise(state: 9)
    return (0..<frames).map { frame in
      let time = Double(frame) / 44_100
      let partials = (0..<12).reduce(0.0) { $0 + sin(2 * .pi * 200 * pow(1.24, Double($1)) * time + Double($1)) }
      return Float(partials / 12 * exp(-15 * time) + Double.random(in: -5e-5...5e-5, using: &noise))
    }
  }

  /// 29.2 dB instead of 23.4.
  @Test("a stroke has much less noise where its bits are planned, at the same rate", .needs(.ffmpeg))
  func stroke() throws {
    let sound = struckBar()
    let results = try [false, true].map { plans in
      let folder = try TemporaryFolder()
      let encoded = try Encoded(sound, format: Self.format, bitRate: 32_000, plans: plans)
      try encoded.write(to: folder.path("a.aac"))
      let decoded = Array(try ffmpegDecoded(folder.path("a.aac"), options: []).dropFirst(1024))
      // Of a fifth of a second.
      let ratio = Difference(Array(decoded.prefix(9000)), Array(sound.prefix(9000))).ratio
      return (ratio: ratio, rate: encoded.rate(frames: sound.count, sampleRate: 44_100))
    }
    #expect(results[1].ratio > 29, "\(results)")
    #expect(results[1].ratio > results[0].ratio + 5, "\(results)")
    #expect(results[1].rate < 1.01 * 32_000, "\(results)")
  }

  @Test("a plan depends neither on threads nor on how the sound is divided")
  func sameBytes() throws {
    let sound = struckBar()
    let payloads = try [(1, 4096), (2, 4096), (3, 1000), (1, 60_000)].map { threads, buffer in
      let encoder = try AACEncoder(format: Self.format, bitRate: 32_000, plansShortSounds: true, threads: threads)
      return try Encoded(sound, format: Self.format, encoder: encoder, buffer: buffer).payloads
    }
    #expect(payloads.allSatisfy { $0 == payloads[0] })
  }

  @Test("a sound that is longer than what is planned is encoded as without a plan")
  func longSound() throws {
    let sound = Sound.music(frames: 1 << 20, channels: 1, rate: 44_100)
    let payloads = try [false, true].map {
      try Encoded(sound, format: Self.format, bitRate: 32_000, plans: $0).payloads
    }
    #expect(payloads[0] == payloads[1])
  }
}
