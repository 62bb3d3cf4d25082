import Foundation
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

  /// In how many frames of a sound, whose first two samples come before the first frame, attacks are found.
  private func attacks(in sound: [Float], sampleRate: Int) -> Int {
    var detector = AttackDetector(sampleRate: sampleRate)
    let (samples, energies) = (AlignedMemory(sound), AlignedMemory<Float>(8))
    return (0..<sound.count / 1024).count { frame in
      detector.scan(samples.from(2 + 1024 * frame), energies: energies.all, from: 0)
    }
  }

  /// The attacks in two seconds of a hiss that swells out of a gap and falls again, over and over, by so many dB within
  /// so many milliseconds.
  private func attacks(swelling: Double, by decibels: Double) -> Int {
    var noise = Noise(state: 5)
    let sound = (0..<2 + 86 * 1024).map { index in
      // Falls for as long, and is soft and loud for 32 ms each.
      let time = (Double(index) / 44.1).truncatingRemainder(dividingBy: 2 * (32 + swelling))
      let level = (min(time - 32, 64 + 2 * swelling - time) / swelling).clamped(to: 0...1)
      return Float.random(in: -8000...8000, using: &noise) * Float(pow(10, decibels * (level - 1) / 20))
    }
    return attacks(in: sound, sampleRate: 44_100)
  }

  @Test("a sound that swells out of a gap within a dozen milliseconds is an attack, and not a slower or weaker one")
  func swelling() {
    // There are 22 or 23 in two seconds, some of which go on in a second frame.
    #expect((22...28).contains(attacks(swelling: 12, by: 40)))
    // From block to block this is 6 dB, which is not sudden.
    #expect((22...28).contains(attacks(swelling: 12, by: 24)))
    #expect(attacks(swelling: 12, by: 10) <= 1)
    #expect(attacks(swelling: 80, by: 40) <= 1)
  }

  /// Notes of a tenth of a second with gaps of 40 ms: in the core of HE-AAC, too, a gap is heard.
  @Test("what came before is forgotten as fast at every sampling rate", arguments: [22_050, 44_100])
  func notes(sampleRate: Int) {
    var noise = Noise(state: 5)
    let sound = (0..<2 + 40 * 1024).map { index in
      let time = Double(index) / Double(sampleRate)
      let isOn = time.truncatingRemainder(dividingBy: 0.1) < 0.06
      return Float.random(in: -1000...1000, using: &noise) * (isOn ? 1 : 0.01)
    }
    let found = attacks(in: sound, sampleRate: sampleRate)
    // One for each note; the first one of all begins with the sound.
    let notes = Int(Double(40 * 1024) / Double(sampleRate) / 0.1) + 1
    #expect(abs(found - notes) <= 1, "\(found) of \(notes)")
  }
}
