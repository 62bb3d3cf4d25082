import TestSupport
import Testing

/// The comparison that the tests with sound servers stand on.
@Suite(.inTurn) struct PassageTests {
  private let sent: [Int16] = {
    var noise = Noise(seed: 9)
    return (0..<20_000).map { _ in Int16(truncatingIfNeeded: noise.next()) }
  }()
  private let silence = [Int16](repeating: 0, count: 1000)

  @Test("sound that comes as it was sent, with silence around it, is exact")
  func exact() {
    let passage = Passage(sent: sent, heard: silence + sent + silence)
    #expect(passage.isExact && passage.description == "exact")
  }

  @Test("silence that is put in is counted, and so is what is lost")
  func interruptions() {
    let heard = silence + sent[..<5000] + silence + sent[5000..<9000] + sent[9500..<15_000] + silence + sent[15_100...]
    let passage = Passage(sent: sent, heard: heard)
    #expect(passage.foreign == nil && !passage.isExact)
    #expect(passage.interruptions == 3)
    #expect(passage.inserted == 2000)
    #expect(passage.lost == 600)
  }

  @Test("sound that breaks off is lost to its end, and sound that never comes is lost whole")
  func cut() {
    #expect(Passage(sent: sent, heard: Array(sent[..<15_000]) + silence).lost == 5000)
    #expect(Passage(sent: sent, heard: silence).lost == sent.count)
    #expect(!Passage(sent: sent, heard: []).isExact)
  }

  @Test("what is repeated, swapped, changed by a bit or added at the end is foreign")
  func foreign() {
    let repeated = sent[..<5000] + sent[4000..<5000] + sent[5000...]
    let swapped = sent[..<5000] + sent[6000..<7000] + sent[5000..<6000] + sent[7000...]
    var changed = sent
    changed[5000] ^= 1
    for heard in [Array(repeated), Array(swapped), changed] {
      let passage = Passage(sent: sent, heard: heard)
      #expect(passage.foreign != nil || passage.lost > 0, "\(passage)")
      #expect(!passage.isExact)
    }
    #expect(Passage(sent: sent, heard: Array(repeated)).foreign == 5000)
    #expect(Passage(sent: sent, heard: changed).foreign == 5000)
    #expect(Passage(sent: sent, heard: sent + [7]).foreign == sent.count)
  }
}
