import AudioConversion
import Loudness
import MediaCore

// Converts whatever the bytes are: the first choose rates, layouts, sample formats, the grade and how the sound is cut
// into buffers, the others are samples. However it is cut, the output is the same; it has the length that was
// announced; and rates or layouts that cannot be converted are refused by an error that says so. Its loudness is a
// number or none.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConverter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  var choices = Choices(Array(bytes.prefix(24)))
  let (from, to) = (format(&choices), format(&choices))
  let quality: ConversionQuality = choices.byte() & 1 == 0 ? .best : .live
  let dither: AudioConverter.Dither = choices.byte() & 1 == 0 ? .automatic : .never
  let sound = Sound(bytes: Array(bytes.dropFirst(24)), frames: choices.number(0...3000), format: from)
  let step = 1 + choices.number(0...4000)
  do {
    var converter = try AudioConverter(from: from, to: to, quality: quality, dither: dither)
    let frames = converter.outputFrames(for: sound.frames)
    // A second of work is plenty for anybody; a microphone's ratio is below ten.
    guard frames * to.channels <= 1 << 18 else { return 0 }
    let whole = try convert(sound, &converter, step: max(sound.frames, 1))
    require(whole.count == frames * to.channels, "the output is as long as announced")
    measure(sound)
    converter.reset()
    require(try convert(sound, &converter, step: step) == whole, "buffers of any length give the same output")
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
  }
  return 0
}

/// Often formats that are in use, now and then anything.
private func format(_ choices: inout Choices) -> AudioFormat {
  let rates = [44_100, 48_000, 16_000, 8000, 96_000, 11_025, 192_000, 44_101, 47_999, 1, 767_999, 768_000]
  let any = choices.number(0...65_535) * 13 - 1
  let rate = choices.once(in: 3) ? any : choices.pick(rates)
  let channels = choices.number(1...10)
  let mask = choices.once(in: 4) ? UInt32(choices.number(0...65_535)) : ChannelLayout(channels: channels).mask
  return AudioFormat(
    sampleRate: rate, sampleFormat: choices.byte() & 1 == 0 ? .int16 : .float32,
    layout: ChannelLayout(channels: channels, mask: mask))
}

private struct Sound {
  let bytes: [UInt8]
  let frames: Int
  let format: AudioFormat

  /// Some of the frames. Floats are any bit patterns: infinities and what is not a number included.
  func buffer(_ range: Range<Int>) -> PCMBuffer {
    let samples = (range.lowerBound * format.channels)..<(range.upperBound * format.channels)
    func byte(_ place: Int) -> UInt8 { bytes.isEmpty ? 0 : bytes[place % bytes.count] }
    guard format.sampleFormat == .int16 else {
      let floats = samples.map { sample in
        Float(bitPattern: (0..<4).reduce(0) { $0 << 8 | UInt32(byte(4 * sample + $1)) })
      }
      return PCMBuffer(floats, sampleRate: format.sampleRate, layout: format.layout)
    }
    let integers = samples.map { Int16(bitPattern: UInt16(byte(2 * $0)) << 8 | UInt16(byte(2 * $0 + 1))) }
    return PCMBuffer(integers, sampleRate: format.sampleRate, layout: format.layout)
  }
}

private func measure(_ sound: Sound) {
  let format = sound.format
  guard var meter = try? LoudnessMeter(sampleRate: format.sampleRate, layout: format.layout) else { return }
  meter.add(sound.buffer(0..<sound.frames).floats.span)
  meter.finish()
  let peaks = meter.truePeaks + meter.samplePeaks
  let values = peaks + [meter.integrated, meter.range, meter.momentaryMaximum, meter.shortTermMaximum]
  require(values.allSatisfy { $0?.isFinite ?? true }, "loudness and peaks are numbers")
}

/// All of the output, as bit patterns: what is no number equals nothing.
private func convert(
  _ sound: Sound, _ converter: inout AudioConverter, step: Int
) throws(ConversionError) -> [UInt32] {
  var output: [UInt32] = []
  func append(_ buffer: PCMBuffer) {
    require(buffer.format == converter.outputFormat, "the output has the format that was asked for")
    output += buffer.floats.map { $0.isNaN ? Float.nan.bitPattern : $0.bitPattern }
  }
  var at = 0
  while at < sound.frames {
    let end = min(at + step, sound.frames)
    append(try converter.convert(sound.buffer(at..<end)))
    at = end
  }
  append(converter.finish())
  return output
}
