import Foundation
import TestSupport
import Testing

@testable import AAC

@Suite(.inTurn) struct ForwardMDCTTests {
  @Test("the forward transform is the sum that the standard writes", arguments: [128, 1024])
  func equalsFormula(lineCount: Int) {
    var noise = Noise(state: 7)
    let samples = (0..<(2 * lineCount)).map { _ in Float.random(in: -1...1, using: &noise) }
    let rise = WindowShape.sine.slope(lineCount).map { Float($0) }
    let fall = Array(rise.reversed())
    let lines = AlignedMemory<Float>(lineCount)
    ForwardMDCT(lineCount: lineCount).run(
      AlignedMemory(samples).all, rise: AlignedMemory(rise), fall: AlignedMemory(fall), to: lines.all)

    let windowed = zip(samples, rise + fall).map { Double($0 * $1) }
    let (length, shift) = (Double(2 * lineCount), Double(lineCount + 1) / 2)
    for line in stride(from: 0, to: lineCount, by: 17) {
      var sum = 0.0
      for (n, value) in windowed.enumerated() {
        sum += 2 * value * cos(2 * .pi / length * (Double(n) + shift) * (Double(line) + 0.5))
      }
      #expect(abs(sum - Double(lines[line])) < 1e-3, "line \(line)")
    }
  }
}
