import AudioConversion
import Foundation
import MediaCore
import TestSupport
import Testing

/// Rate, channels and sample format together.
@Suite(.inTurn) struct AudioConverterTests {
  private let float = AudioFormat(sampleRate: 48_000, sampleFormat: .float32, layout: .mono)
  private let integer = AudioFormat(sampleRate: 48_000, sampleFormat: .int16, layout: .mono)

  private func all(_ converter: inout AudioConverter, _ buffers: PCMBuffer...) throws -> PCMBuffer {
    var samples: [Float] = []
    for buffer in buffers { samples += try converter.convert(buffer).floats }
    samples += converter.finish().floats
    let (rate, layout) = (converter.outputFormat.sampleRate, converter.outputFormat.layout)
    return PCMBuffer(samples, sampleRate: rate, layout: layout)
  }

  @Test("16 bits that only change places stay what they are, without noise")
  func exact() throws {
    let values: [Int16] = [0, 1, -1, .min, .max, 1234]
    for target in [integer.layout, .surround5Point1] {
      let format = AudioFormat(sampleRate: 48_000, layout: target)
      var converter = try AudioConverter(from: integer, to: format)
      let output = try converter.convert(PCMBuffer(values, sampleRate: 48_000, layout: .mono))
      #expect(output.format == format)
      let center = target == .mono ? 0 : 2
      #expect(stride(from: center, to: output.int16s.count, by: target.channels).map { output.int16s[$0] } == values)
    }
  }

  @Test("floats stay bit for bit where nothing changes")
  func identity() throws {
    var converter = try AudioConverter(from: float, to: float)
    let values = noise(1000, seed: 1) + [.nan, .infinity]
    let output = try converter.convert(PCMBuffer(values, sampleRate: 48_000, layout: .mono))
    #expect(output.floats.map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test("noise before rounding is triangular: the error has mean 0 and a quarter of a square step, whatever the sound")
  func dither() throws {
    for level in [0, 0.25, 0.5, 100.75] {
      var converter = try AudioConverter(from: float, to: integer)
      let input = [Float](repeating: Float(level / 32768), count: 60_000)
      let output = try converter.convert(PCMBuffer(input, sampleRate: 48_000, layout: .mono)).int16s
      let errors = output.map { Double($0) - level }
      let mean = errors.reduce(0, +) / Double(errors.count)
      let power = errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)
      // A step's uniform noise has 1/12 of it squared; the difference of two and the rounding make three.
      #expect(abs(mean) < 0.01, "at \(level)")
      #expect(abs(power - 0.25) < 0.01, "at \(level)")
      let neighbours = zip(errors, errors.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / Double(errors.count)
      #expect(abs(neighbours) < 0.01, "noise is white")
    }
    var plain = try AudioConverter(from: float, to: integer, dither: .never)
    let soft: [Float] = [0.25 / 32768, 0.75 / 32768, 2]
    let rounded = try plain.convert(PCMBuffer(soft, sampleRate: 48_000, layout: .mono))
    #expect(rounded.int16s == [0, 1, .max])
  }

  @Test("the same input gives the same bytes, however it comes, also after a reset")
  func deterministic() throws {
    let stereo = AudioFormat(sampleRate: 44_100, sampleFormat: .int16, layout: .stereo)
    let target = AudioFormat(sampleRate: 16_000, sampleFormat: .int16, layout: .mono)
    let samples = noise(4000, seed: 2).map { Int16(pcm: $0 / 2) }
    func buffer(_ range: Range<Int>) -> PCMBuffer {
      PCMBuffer(Array(samples[(2 * range.lowerBound)..<(2 * range.upperBound)]), sampleRate: 44_100, layout: .stereo)
    }
    var converter = try AudioConverter(from: stereo, to: target)
    let whole = try all(&converter, buffer(0..<2000))
    #expect(whole.frameCount == converter.outputFrames(for: 2000) && whole.frameCount == 726)
    converter.reset()
    #expect(try all(&converter, buffer(0..<1), buffer(1..<900), buffer(900..<2000)) == whole)
  }

  @Test("mixing before or after the rate changes is the same", arguments: [1, 2, 6], [1, 2, 6])
  func order(from: Int, to: Int) throws {
    let source = AudioFormat(sampleRate: 16_000, sampleFormat: .float32, channels: from)
    let target = AudioFormat(sampleRate: 24_000, sampleFormat: .float32, channels: to)
    let input = noise(600 * from, seed: 8)
    var converter = try AudioConverter(from: source, to: target)
    var output: [Float] = []
    try converter.convert(input.span, to: &output)
    converter.finish(to: &output)
    #expect(output.count == 900 * to)
    var mixed: [Float] = []
    converter.matrix.mix(input.span, to: &mixed)
    let expected = try converted(mixed, from: 16_000, to: 24_000, channels: to)
    #expect(zip(output, expected).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test("16-bit samples straight into an array are those of the buffers")
  func integers() throws {
    let target = AudioFormat(sampleRate: 44_100, sampleFormat: .int16, layout: .mono)
    let input = noise(3000, seed: 4).map { $0 * 1.5 }
    var (one, other) = (try AudioConverter(from: float, to: target), try AudioConverter(from: float, to: target))
    var output: [Int16] = []
    for start in stride(from: 0, to: 3000, by: 500) {
      try one.convert(input.span.extracting(start..<(start + 500)), to: &output)
    }
    one.finish(to: &output)
    let buffers = [try other.convert(PCMBuffer(input, sampleRate: 48_000, layout: .mono)), other.finish()]
    #expect(output == buffers.flatMap(\.int16s))
    #expect(output.contains(.max) && output.contains(.min), "louder samples are clipped")
  }

  @Test("a buffer of another format, a wrong matrix and a late buffer are errors that change nothing")
  func errors() throws {
    var converter = try AudioConverter(from: float, to: integer)
    let wrong = PCMBuffer([0, 0] as [Float], sampleRate: 44_100, layout: .mono)
    #expect(throws: ConversionError(.formatChanged(float, to: wrong.format))) { try converter.convert(wrong) }
    let right = PCMBuffer([0, 0] as [Float], sampleRate: 48_000, layout: .mono)
    #expect(try converter.convert(right).frameCount + converter.finish().frameCount == 2)
    #expect(throws: ConversionError(.finished)) { try converter.convert(right) }
    #expect(converter.finish().frameCount == 0)
    let matrix = try ChannelMatrix(inputs: 2, outputs: 1, coefficients: [1, 1])
    #expect(throws: ConversionError(.matrixSize(inputs: 2, outputs: 1))) {
      try AudioConverter(from: float, to: integer, matrix: matrix)
    }
    #expect(throws: ConversionError(.sampleRate(0, SampleRateConverter.sampleRates))) {
      try AudioConverter(from: AudioFormat(sampleRate: 0), to: AudioFormat())
    }
    #expect(throws: ConversionError(.channels(65_535, SampleRateConverter.channelCounts))) {
      try AudioConverter(from: AudioFormat(sampleRate: 8000, channels: 65_535), to: float)
    }
  }

  @Test("32 bits between equal formats stay what they are")
  func exact32() throws {
    let buffer = PCMBuffer(
      [0x1234_5678, -0x1234_5677, .max, .min, 1, -1] as [Int32], sampleRate: 48_000, layout: .mono)
    var converter = try AudioConverter(from: buffer.format, to: buffer.format)
    #expect(try converter.convert(buffer) == buffer)
    #expect(converter.finish().frameCount == 0)
  }
}
