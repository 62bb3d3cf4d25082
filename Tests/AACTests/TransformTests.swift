import Foundation
import TestSupport
import Testing

@testable import AAC

@Suite("Transform", .inTurn)
struct TransformTests {
  /// The standard's formula, all `2 lines` samples of it, in double precision.
  private func direct(_ spectrum: [Float]) -> [Double] {
    let lines = spectrum.count
    return (0..<(2 * lines)).map { sample in
      spectrum.enumerated().reduce(0.0) { sum, line in
        let turn = (2 * sample + 1 + lines) * (2 * line.offset + 1) % (8 * lines)
        return sum + Double(line.element) * cos(.pi * Double(turn) / Double(4 * lines))
      } / Double(lines)
    }
  }

  private func spectrum(_ count: Int, seed: UInt64) -> [Float] {
    var noise = Noise(state: seed)
    return (0..<count).map { _ in Float.random(in: -1000...1000, using: &noise) }
  }

  @Test(
    "the inverse transform is the standard's formula, its mirror images left out", arguments: [1024, 128, 960, 120])
  func inverse(lines: Int) {
    let spectrum = spectrum(lines, seed: UInt64(lines))
    let expected = direct(spectrum)
    let (input, output) = (AlignedMemory(spectrum), AlignedMemory<Float>(lines))
    InverseMDCT(lines: lines, scale: 1).transform(input.all, to: output.all)
    let error = (0..<lines).map { abs(Double(output[$0]) - expected[lines / 2 + $0]) }.max() ?? 1
    #expect(error < 1e-4, "largest error \(error)")
    for sample in 0..<(lines / 2) {
      #expect(abs(expected[lines - 1 - sample] + expected[sample]) < 1e-9)
      #expect(abs(expected[2 * lines - 1 - sample] - expected[lines + sample]) < 1e-9)
    }
  }

  @Test(
    "overlapped transforms give back the signal that was transformed", arguments: [WindowShape.sine, .kaiserBessel])
  func reconstruction(shape: WindowShape) {
    let lines = 128
    let slope = shape.slope(lines)
    let window = slope + slope.reversed()
    let signal = spectrum(3 * lines, seed: 1).map(Double.init)
    let outputs = (0..<2).map { block in
      // The forward transform by its formula; halves overlap.
      let spectrum = (0..<lines).map { line in
        Float(
          (0..<(2 * lines)).reduce(0.0) { sum, sample in
            let turn = Double(2 * sample + 1 + lines) * Double(2 * line + 1) / Double(4 * lines) * .pi
            return sum + 2 * signal[block * lines + sample] * window[sample] * cos(turn)
          })
      }
      let (input, output) = (AlignedMemory(spectrum), AlignedMemory<Float>(lines))
      InverseMDCT(lines: lines, scale: 1).transform(input.all, to: output.all)
      return output
    }
    let output = AlignedMemory<Float>(lines)
    Slope(shape, count: lines).overlap(outputs[0].from(lines / 2), outputs[1].all, to: output.all)
    let error = (0..<lines).map { abs(Double(output[$0]) - signal[lines + $0]) }.max() ?? 1
    #expect(error < 1e-3, "largest error \(error)")
  }
}
