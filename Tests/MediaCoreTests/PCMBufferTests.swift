import MediaCore
import TestSupport
import Testing

/// PCM, its formats and the two ways to write a sample.
@Suite(.inTurn) struct PCMBufferTests {
  @Test("a format is CD quality unless said otherwise")
  func defaultFormat() {
    let format = AudioFormat()
    #expect(format.sampleRate == 44_100)
    #expect(format.sampleFormat.bitDepth == 16)
    #expect(format.channels == 2)
    #expect(format.bytesPerFrame == 4)
  }

  @Test("every usual layout has a loudspeaker for each of its channels", arguments: 1...8)
  func layouts(channels: Int) {
    let layout = ChannelLayout(channels: channels)
    #expect(layout.channels == channels)
    #expect(layout.mask.nonzeroBitCount == channels)
  }

  @Test("a mask with another number of loudspeakers than channels is not believed")
  func wrongMask() {
    #expect(ChannelLayout(channels: 2, mask: 0x3F).mask == 0)
  }

  @Test("every 16-bit sample is the same again after a turn as a float")
  func roundTrip() {
    let samples = (Int(Int16.min)...Int(Int16.max)).map { Int16($0) }
    let floats = PCMBuffer(samples, sampleRate: 8000, layout: .mono).floats
    #expect(PCMBuffer(floats, sampleRate: 8000, layout: .mono).int16s == samples)
  }

  @Test("floats are rounded to the nearest, ties to even, clipped, and NaN is silence")
  func rounding() {
    let floats: [Float] = [0.5, 1.5, 2.5, -0.5, -1.5, 1e9, -1e9].map { $0 / 32768 } + [1, -1, .nan, .infinity]
    let expected: [Int16] = [0, 2, 2, 0, -2, .max, .min, .max, .min, 0, .max]
    #expect(PCMBuffer(floats, sampleRate: 8000, layout: .mono).int16s == expected)
  }

  @Test("a last frame that is not complete is dropped")
  func incompleteFrame() {
    #expect(PCMBuffer([1, 2, 3] as [Int16], sampleRate: 8000, layout: .stereo).frameCount == 1)
  }

  @Test("the first frames are whole frames, and no more than there are", arguments: [(-1, 0), (0, 0), (1, 1), (9, 2)])
  func prefix(wanted: Int, expected: Int) {
    let buffer = PCMBuffer([1, 2, 3, 4] as [Int16], sampleRate: 8000, layout: .stereo)
    #expect(buffer.prefix(wanted).int16s == Array([1, 2, 3, 4].prefix(2 * expected)))
    #expect(PCMBuffer(buffer.floats, sampleRate: 8000, layout: .stereo).prefix(wanted).frameCount == expected)
  }

  @Test("a layout of no channels is one of one channel")
  func leastLayout() {
    #expect(ChannelLayout(channels: 0) == .mono && ChannelLayout(channels: -7) == .mono)
  }
}
