import TestSupport
import Testing

@testable import AAC

/// The choice of scalefactors, beside all that could be chosen.
@Suite("AAC encoder: search for scalefactors", .inTurn)
struct ScalefactorSearchTests {
  private let layout = FrameLayout(long: ScalefactorBands(frequencyIndex: 4, isShort: false), used: 6)
  private let price: Float = 0.5

  /// A choice for one band, and what it costs besides the difference of scalefactors.
  private struct Choice {
    /// A scalefactor, or what stands for one where the band is not coded.
    var scalefactor: Int32
    var cost: Float
  }

  /// Bands with costs at random, up to four scalefactors each. Costs are whole quarters, so that no sum is rounded.
  private func bands(_ noise: inout TestSupport.Noise, spread: Int) -> (
    channel: ChannelSpectrum, candidates: ScalefactorCandidates, choices: [[Choice]]
  ) {
    let (channel, candidates) = (ChannelSpectrum(), ScalefactorCandidates(SearchLimits(.normal)))
    let choices = (0..<layout.bandCount).map { band in
      let energy = Float(Int.random(in: 1...40, using: &noise))
      (channel.energies[band], channel.weights[band], channel.holes[band]) = (energy, 0.25, 2)
      var choices = [Choice(scalefactor: ChannelSpectrum.empty, cost: energy * 0.25 * 2 / price)]
      channel.substitution[band] = .infinity
      if noise.once(in: 3) {
        channel.substitution[band] = 0.5
        // Bits of the level and of the sections.
        let cost = energy * 0.25 * 0.5 / price + 6
        if cost < choices[0].cost { choices = [Choice(scalefactor: ChannelSpectrum.noise, cost: cost)] }
      }
      (candidates.highest[band], candidates.lowest[band]) = (-1, 0)
      guard !noise.once(in: 4) else { return choices }
      let lowest = Int.random(in: 120 - spread...120 + spread, using: &noise)
      let range = lowest...(lowest + Int.random(in: 0...3, using: &noise))
      (candidates.lowest[band], candidates.highest[band]) = (Int32(range.lowerBound), Int32(range.upperBound))
      for scalefactor in range {
        let index = ScalefactorCandidates.index(band, scalefactor)
        candidates.bits[index] = Float(Int.random(in: 2...20, using: &noise))
        candidates.noise[index] = Float(Int.random(in: 0...16, using: &noise)) / 4
        let cost = candidates.bits[index] + candidates.noise[index] / price
        choices.append(Choice(scalefactor: Int32(scalefactor), cost: cost))
      }
      return choices
    }
    return (channel, candidates, choices)
  }

  /// What a path costs. The first scalefactor is sent in any case, as global_gain, and costs nothing; the others are
  /// sent as differences.
  private func cost(_ path: [Choice]) -> Float {
    let sent = path.map(\.scalefactor).filter { $0 >= 0 }
    let differences = zip(sent.dropFirst(), sent).map { Int($0 - $1) }
    guard differences.allSatisfy({ abs($0) <= 60 }) else { return .infinity }
    return path.reduce(0) { $0 + $1.cost }
      + differences.reduce(0) { $0 + Float(HuffmanBook.scalefactor.lengths[$1 + 60]) }
  }

  private func paths(_ choices: ArraySlice<[Choice]>) -> [[Choice]] {
    guard let first = choices.first else { return [[]] }
    let rest = paths(choices.dropFirst())
    return first.flatMap { choice in rest.map { [choice] + $0 } }
  }

  @Test(
    "the choice is as cheap as the best of all",
    arguments: (0..<20).flatMap { seed in [2, 12, 100].map { (seed, spread: $0) } })
  func best(seed: Int, spread: Int) throws {
    var noise = TestSupport.Noise(seed: UInt64(seed))
    let (channel, candidates, choices) = bands(&noise, spread: spread)
    // No path that is worse by more than the longest step, 19 bits, can win, unless the cheapest is too far away for a
    // step.
    ScalefactorSearch(costs: .shared, tolerance: spread < 30 ? 20 : 1000)
      .choose(channel, candidates, layout, price: price)
    let chosen = try choices.enumerated().map { band, choices in
      try #require(choices.first { $0.scalefactor == channel.scalefactors[band] }, "band \(band)")
    }
    let least = try #require(paths(choices[...]).map(cost).min())
    #expect(cost(chosen) == least)
  }
}
