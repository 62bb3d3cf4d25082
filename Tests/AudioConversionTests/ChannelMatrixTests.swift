import AudioConversion
import MediaCore
import TestSupport
import Testing

/// Channels mixed, compared with the coefficients of ITU-R BS.775.
@Suite(.inTurn) struct ChannelMatrixTests {
  private let h: Float = 0.707_106_78
  private let quad = ChannelLayout(channels: 4, mask: 0x33)

  private func rows(_ matrix: ChannelMatrix) -> [[Float]] {
    (0..<matrix.outputs).map { output in (0..<matrix.inputs).map { matrix[output, $0] } }
  }

  private func isClose(_ matrix: ChannelMatrix, _ expected: [[Float]]) -> Bool {
    let rows = rows(matrix)
    return rows.count == expected.count
      && zip(rows, expected).allSatisfy { row, other in
        row.count == other.count && zip(row, other).allSatisfy { abs($0 - $1) < 1e-6 }
      }
  }

  @Test("down from 5.1, as in table 2 of the recommendation")
  func down() throws {
    let surround = ChannelLayout.surround5Point1
    let stereo = try ChannelMatrix(from: surround, to: .stereo, preventsClipping: false)
    #expect(isClose(stereo, [[1, 0, h, 0, h, 0], [0, 1, h, 0, 0, h]]))
    let mono = try ChannelMatrix(from: surround, to: .mono, preventsClipping: false)
    #expect(isClose(mono, [[h, h, 1, 0, 0.5, 0.5]]))
    let four = try ChannelMatrix(from: surround, to: quad, preventsClipping: false)
    #expect(isClose(four, [[1, 0, h, 0, 0, 0], [0, 1, h, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]))
    let effects = try ChannelMatrix(from: surround, to: .stereo, includesLFE: true, preventsClipping: false)
    #expect(isClose(effects, [[1, 0, h, h, h, 0], [0, 1, h, h, 0, h]]))
  }

  @Test("down from 7.1: what joins a channel comes at 0.7071, what takes its place as it is")
  func fromSeven() throws {
    let seven = ChannelLayout(channels: 8)
    let five = try ChannelMatrix(from: seven, to: .surround5Point1, preventsClipping: false)
    var expected = (0..<6).map { row in (0..<8).map { Float($0 == row ? 1 : 0) } }
    (expected[4][6], expected[5][7]) = (h, h)
    #expect(isClose(five, expected))
    let sides = try ChannelMatrix(
      from: ChannelLayout(channels: 6, mask: 0x60F), to: .surround5Point1, preventsClipping: false)
    #expect(isClose(sides, (0..<6).map { row in (0..<6).map { $0 == row ? 1 : 0 } }))
  }

  @Test("up: what the sound does not have stays silent")
  func upwards() throws {
    #expect(isClose(try ChannelMatrix(from: .mono, to: .stereo), [[h], [h]]))
    #expect(isClose(try ChannelMatrix(from: .mono, to: .surround5Point1), [[0], [0], [1], [0], [0], [0]]))
    let five = try ChannelMatrix(from: .stereo, to: .surround5Point1)
    #expect(isClose(five, [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]]))
    #expect(five.isSelection && !five.isIdentity)
    let seven = try ChannelMatrix(from: .surround5Point1, to: ChannelLayout(channels: 8))
    #expect(isClose(seven, (0..<8).map { row in (0..<6).map { $0 == row ? 1 : 0 } }))
  }

  @Test("full scale on all channels is full scale at most, and the balance stays", arguments: 1...8, 1...8)
  func clipping(from: Int, to: Int) throws {
    let (source, target) = (ChannelLayout(channels: from), ChannelLayout(channels: to))
    let bounded = try ChannelMatrix(from: source, to: target)
    let plain = try ChannelMatrix(from: source, to: target, preventsClipping: false)
    let sums = rows(bounded).map { $0.reduce(0, +) }
    #expect((sums.max() ?? 0) <= 1.000_001)
    let largest = max(1, rows(plain).map { $0.reduce(0, +) }.max() ?? 0)
    #expect(zip(bounded.coefficients, plain.coefficients).allSatisfy { abs($0 * largest - $1) < 1e-5 })
    #expect(bounded.isIdentity == (from == to))
  }

  @Test("channels for no loudspeaker stay in their places, or are taken as the usual ones")
  func unassigned() throws {
    let nine = ChannelLayout(channels: 9)
    #expect(try ChannelMatrix(from: nine, to: nine).isIdentity)
    #expect(try ChannelMatrix(from: ChannelLayout(channels: 6, mask: 0), to: .surround5Point1).isIdentity)
    #expect(isClose(try ChannelMatrix(from: ChannelLayout(channels: 2, mask: 0), to: .mono), [[0.5, 0.5]]))
    #expect(throws: ConversionError(.noMatrix(from: nine, to: .stereo))) { try ChannelMatrix(from: nine, to: .stereo) }
    let ceiling = ChannelLayout(channels: 3, mask: 0x803)
    #expect(throws: ConversionError(.noMatrix(from: ceiling, to: .stereo))) {
      try ChannelMatrix(from: ceiling, to: .stereo)
    }
  }

  @Test("frames are mixed by any matrix, and what a channel does not take cannot spoil it")
  func mixing() throws {
    let matrix = try ChannelMatrix(inputs: 3, outputs: 2, coefficients: [1, 0.5, 0, 0, -1, 0.25])
    var output: [Float] = [9]
    matrix.mix(([1, 2, 4, .nan, 0, 8, 7] as [Float]).span, to: &output)
    #expect(output[0...2] == [9, 2, -1] && output[3].isNaN && output[4] == 2 && output.count == 5)
    let mono = try ChannelMatrix(from: .stereo, to: .mono)
    output = []
    mono.mix(([0.5, 0.25, -1, 1] as [Float]).span, to: &output)
    #expect(output == [0.375, 0])
  }

  @Test("a matrix that is none is refused")
  func refused() {
    for coefficients in [[], [1, 0], [1, 0, 0, .nan], [1, 0, 0, .infinity], [1, 0, 0, 1, 0]] as [[Float]] {
      #expect(throws: ConversionError(.coefficients(coefficients.count))) {
        try ChannelMatrix(inputs: 2, outputs: 2, coefficients: coefficients)
      }
    }
    #expect(throws: ConversionError.self) { try ChannelMatrix(inputs: 0, outputs: 1, coefficients: []) }
    #expect(throws: ConversionError.self) { try ChannelMatrix(inputs: Int.max, outputs: 2, coefficients: []) }
  }
}
