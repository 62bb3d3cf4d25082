import TestSupport
import Testing

@testable import AAC

/// What counts as a sudden sound.
@Suite(.inTurn) struct AttackDetectorTests {
  /// A hiss whose energy rises to so many times what it was, in the last block.
  private func isAttack(_ times: Float, sampleRate: Int, from firstBlock: Int = 0) -> Bool {
    var noise = Noise(state: 5)
    // Two samples before the first one are read too.
    let samples = (0..<2 + 1024).map { index in
      Float.random(in: -1000...1000, using: &noise) * (index < 2 + 7 * 128 ? 1 : times.squareRoot())
    }
    let energies = AlignedMemory<Float>(8)
    var detector = AttackDetector(sampleRate: sampleRate)
    // The same hiss before, so that the first block is none.
    let steady = samples.map { $0.clamped(to: -1000...1000) }
    _ = detector.scan(AlignedMemory(steady).from(2), energies: energies.all, from: 0)
    return detector.scan(AlignedMemory(samples).from(2), energies: energies.all, from: firstBlock)
  }

  @Test("at low sampling rates, where windows are longer, weaker attacks count")
  func lowRates() {
    for rate in [32_000, 44_100, 96_000] {
      #expect(!isAttack(14, sampleRate: rate))
      #expect(isAttack(30, sampleRate: rate))
    }
    #expect(!isAttack(7, sampleRate: 16_000))
    #expect(isAttack(14, sampleRate: 16_000))
    #expect(isAttack(7, sampleRate: 8000))
  }

  @Test("attacks in blocks that do not matter are not counted")
  func firstBlock() {
    #expect(isAttack(100, sampleRate: 44_100, from: 7))
    #expect(!isAttack(100, sampleRate: 44_100, from: 8))
  }
}
