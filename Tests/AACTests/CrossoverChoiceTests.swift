import TestSupport
import Testing

@testable import AAC

/// When the core of HE-AAC reaches higher, and what it takes to get there.
@Suite(.inTurn) struct CrossoverChoiceTests {
  private func follow(_ choice: inout CrossoverChoice, _ bits: [Float], frames: Int) {
    for _ in 0..<frames { choice.follow(bits: bits) }
  }

  /// A choice of two that a simple sound has moved up.
  private func raised() -> CrossoverChoice {
    var choice = CrossoverChoice(count: 2, bitsPerFrame: 1000)
    follow(&choice, [300, 400], frames: 5)
    #expect(choice.ofLayer == 1)
    return choice
  }

  @Test("of a simple sound, the highest border that the bits suffice for is announced, prepared and taken")
  func up() {
    var choice = CrossoverChoice(count: 3, bitsPerFrame: 1000)
    // The mean starts at what there is: after four frames, 0.9 to the power of 4 of the difference is left of it.
    follow(&choice, [500, 700, 1100], frames: 3)
    #expect(choice.ofLayer == 0 && !choice.reachesOver)
    follow(&choice, [500, 700, 1100], frames: 1)
    #expect(choice.ofLayer == 0 && choice.reachesOver && choice.ofCore == 0)
    follow(&choice, [500, 700, 1100], frames: 1)
    // The core's window reaches into the next frame.
    #expect(choice.ofLayer == 1 && !choice.reachesOver && choice.ofCore == 1)
    follow(&choice, [300, 400, 500], frames: 30)
    #expect(choice.ofLayer == 2)
  }

  @Test("of a sound that takes too many bits for a while, the border moves down")
  func down() {
    var choice = raised()
    follow(&choice, [1100, 1300], frames: 2)
    #expect(choice.ofLayer == 1)
    follow(&choice, [1100, 1300], frames: 6)
    #expect(choice.ofLayer == 0)
  }

  @Test("of a frame that takes twice the bits, the border moves down at once")
  func cutOff() {
    var choice = raised()
    follow(&choice, [1500, 2100], frames: 1)
    // The core's frame still belongs to the border before.
    #expect(choice.ofLayer == 0 && choice.ofCore == 1 && !choice.reachesOver)
    follow(&choice, [300, 400], frames: 5)
    #expect(choice.ofLayer == 0 && !choice.reachesOver)
  }

  @Test("a bell's strokes do not move the border down if the sound between them takes few bits")
  func strokes() {
    var choice = CrossoverChoice(count: 2, bitsPerFrame: 1000)
    follow(&choice, [150, 200], frames: 5)
    for _ in 0..<10 {
      follow(&choice, [1100, 1600], frames: 1)
      #expect(choice.ofLayer == 1)
      follow(&choice, [150, 200], frames: 8)
      #expect(choice.ofLayer == 1)
    }
  }

  @Test("pauses do not move the border up, whatever may follow them")
  func pauses() {
    var choice = CrossoverChoice(count: 2, bitsPerFrame: 1000)
    follow(&choice, [1200, 1500], frames: 20)
    follow(&choice, [0, 0], frames: 100)
    #expect(choice.ofLayer == 0 && !choice.reachesOver)
  }

  @Test("a sound that sets in after a border was announced cancels it")
  func cancelled() {
    var choice = CrossoverChoice(count: 2, bitsPerFrame: 1000)
    follow(&choice, [300, 400], frames: 2)
    #expect(choice.reachesOver)
    follow(&choice, [2000, 2500], frames: 1)
    #expect(choice.ofLayer == 0 && choice.ofCore == 0 && !choice.reachesOver)
  }

  @Test("with one bandwidth there is nothing to choose")
  func single() {
    var choice = CrossoverChoice(count: 1, bitsPerFrame: 1000)
    follow(&choice, [10], frames: 3)
    #expect(choice.ofCore == 0 && !choice.reachesOver)
  }
}
