import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// The parts of an encoder with SBR, each against what a decoder does or a formula.
@Suite(.inTurn) struct SBREncodingTests {
  @Test("what 64 bands are analysed into, the decoder's bank puts together again")
  func bank() {
    let (analysis, synthesis) = (QMFAnalysis(bands: 64), QMFSynthesis(bands: 64))
    let (state, subbands) = (QMFSynthesis.State(bands: 64), SubbandSamples(bands: 64))
    var noise = Noise(state: 2)
    let samples = (0..<6 * 2048).map { _ in Float.random(in: -1...1, using: &noise) }
    let (input, output) = (AlignedMemory<Float>(576 + 2048), AlignedMemory<Float>(2048))
    var result: [Float] = []
    for frame in 0..<6 {
      input.all.update(from: input.from(2048), count: 576)
      for index in 0..<2048 { input[576 + index] = samples[2048 * frame + index] }
      analysis.analyse(input, to: subbands, firstSlot: 0)
      synthesis.synthesise(subbands, state, to: output)
      result += (0..<2048).map { output[$0] }
    }
    // Both filters' delay: the standard's 577 samples.
    var (signal, errors) = (0.0, 0.0)
    for index in 2048..<(samples.count - 577) {
      let difference = Double(result[index + 577]) - Double(samples[index])
      signal += Double(samples[index]) * Double(samples[index])
      errors += difference * difference
    }
    let ratio = 10 * log10(signal / errors)
    // The bank is not quite without errors. Its responses to impulses in each of the 64 places of a slot, summed by the
    // standard's formulas in double precision and without the ideal one, have -59.46 dB on average (-58.1 to -64.2): of
    // white noise, that is the error.
    #expect(abs(ratio - 59.46) < 0.2)
  }

  @Test(
    "tones below the middle pass the half-band filter, tones above do not", arguments: [0.05, 0.2, 0.225, 0.275, 0.4])
  func halfBand(frequency: Double) {
    let (reach, count) = (HalfBandFilter.reach, 1024)
    let input = AlignedMemory<Float>(
      (0..<(2 * count + 2 * reach)).map { Float(cos(2 * .pi * frequency * Double($0 - reach))) })
    let output = AlignedMemory<Float>(count)
    HalfBandFilter(count: count).run(input.from(reach), to: output.all)
    for index in 0..<count {
      let expected = frequency < 0.25 ? cos(4 * .pi * frequency * Double(index)) : 0
      #expect(abs(Double(output[index]) - expected) < 3e-4)
    }
  }

  @Test("a decoder reads every division of a frame as it was meant", arguments: 0..<4)
  func grids(start: Int) throws {
    let plans =
      [1, 2, 4].flatMap { parts in
        [false, true].map { SBRFramePlan(start: start, parts: parts, reachesOver: $0) }
      }
      + [SBRFramePlan(simplestFrom: start), SBRFramePlan(simplestFrom: start, reachesOver: true)]
      + (0..<16).map { SBRFramePlan(start: start, attack: $0) }
    for plan in plans {
      let buffer = AlignedMemory<UInt8>(64)
      var bits = PacketBitWriter(buffer)
      plan.write(to: &bits)
      #expect(bits.position == plan.bits)
      let memory = AlignedMemory(bits.finish() + [UInt8](repeating: 0, count: PacketBitReader.padding))
      var reader = PacketBitReader(memory, bytes: memory.count - PacketBitReader.padding)
      let grid = try SBRTimeGrid(&reader)
      #expect(grid.borders == plan.borders && grid.isHigh == plan.isHigh, "\(plan)")
      #expect(grid.transient == plan.transient && grid.noiseCount == plan.noiseCount, "\(plan)")
      #expect(grid.isSingle == plan.isSingle && reader.position == plan.bits)
    }
  }

  @Test("an attack has a border at its slot, and an envelope that is short", arguments: 0..<16)
  func attacks(slot: Int) {
    let plan = SBRFramePlan(start: 0, attack: slot)
    let index = plan.borders.firstIndex(of: slot)
    #expect(index.map { plan.borders[$0 + 1] - plan.borders[$0] <= 4 } == true)
  }
}
