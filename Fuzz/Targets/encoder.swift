import AAC
import MediaCore

// Encodes whatever the bytes are: the first choose rate, layout, sample format, profile and bit rate or quality, the
// others are samples. However the input is divided into buffers, the packets are the same; durations add up to what
// went in; and the decoder takes every packet.

/// Bytes that choose; the rest is samples, said again and again up to the length that is chosen.
private let header = 7

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncoder(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  guard bytes.count > header + 4 else { return 0 }
  let rates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000]
  let channels = 1 + Int(bytes[1]) % 6
  let rate = rates[Int(bytes[0]) % rates.count]
  let frames = (Int(bytes[3]) << 8 | Int(bytes[4])) % (6 * 1024)
  let sound = Sound(
    bytes: Array(bytes.dropFirst(header)), frames: frames, isFloat: bytes[2] & 1 == 1, sampleRate: rate,
    layout: ChannelLayout(channels: channels))
  let isHigh = bytes[2] & 6 == 4 && channels <= 2 && rate >= 16_000
  let isParametric = isHigh && channels == 2 && bytes[2] & 8 == 8
  let profile: AACEncoder.Profile =
    isHigh ? (isParametric ? .highEfficiencyV2 : .highEfficiency) : .lowComplexity
  let (length, delay) = isHigh ? (2048, 962) : (1024, 0)
  func encoder() throws(AACError) -> AACEncoder {
    guard bytes[2] & 2 == 0 else { return try AACEncoder(format: sound.format, quality: 1 + Int(bytes[5]) % 5) }
    let range = AACEncoder.bitRates(for: sound.format, profile: profile)
    return try AACEncoder(
      format: sound.format, profile: profile,
      bitRate: range.lowerBound + (range.upperBound - range.lowerBound) * Int(bytes[5]) / 255)
  }
  do {
    let whole = try packets(encoder(), sound, step: max(frames, 1))
    let pieces = try packets(encoder(), sound, step: 1 + 16 * Int(bytes[6]))
    require(whole.map(\.bytes) == pieces.map(\.bytes), "buffers of any length give the same packets")
    require(
      whole.count == (frames == 0 ? 1 : (frames + delay + length - 1) / length + 1),
      "there is a packet for each 1024 or 2048 frames, and one of priming")
    require(whole.reduce(0) { $0 + $1.duration } == Int64(length + frames), "durations add up to what went in")
    decode(whole, try encoder().configuration, channels: channels)
  } catch {
    fatalError("violated: what is asked for can be encoded: \(error)")
  }
  return 0
}

private struct Sound {
  let bytes: [UInt8]
  let frames: Int
  let isFloat: Bool
  let sampleRate: Int
  let layout: ChannelLayout

  var format: AudioFormat {
    AudioFormat(sampleRate: sampleRate, sampleFormat: isFloat ? .float32 : .int16, layout: layout)
  }

  /// Some of the frames. Floats are any bit patterns: infinities and what is not a number included.
  func buffer(_ range: Range<Int>) -> PCMBuffer {
    let samples = (range.lowerBound * layout.channels)..<(range.upperBound * layout.channels)
    func byte(_ place: Int) -> UInt8 { bytes[place % bytes.count] }
    if isFloat {
      let floats = samples.map { sample in
        Float(bitPattern: (0..<4).reduce(0) { $0 << 8 | UInt32(byte(4 * sample + $1)) })
      }
      return PCMBuffer(floats, sampleRate: sampleRate, layout: layout)
    }
    let integers = samples.map { Int16(bitPattern: UInt16(byte(2 * $0)) << 8 | UInt16(byte(2 * $0 + 1))) }
    return PCMBuffer(integers, sampleRate: sampleRate, layout: layout)
  }
}

private func packets(
  _ fresh: consuming AACEncoder, _ sound: Sound, step: Int
) throws(AACError) -> [(bytes: [UInt8], duration: Int64)] {
  var encoder = fresh
  var samples: [EncodedSample] = []
  var at = 0
  while at < sound.frames {
    let end = min(at + step, sound.frames)
    samples += try encoder.encode(sound.buffer(at..<end))
    at = end
  }
  samples += encoder.finish().packets
  return samples.map { sample in
    guard case .bytes(let bytes) = sample.payload else { fatalError("violated: packets are in memory") }
    return (Array(bytes), sample.timing.duration)
  }
}

private func decode(_ packets: [(bytes: [UInt8], duration: Int64)], _ config: AudioSpecificConfig, channels: Int) {
  guard let decoder = try? AACDecoder(configuration: config) else { fatalError("violated: it can be decoded") }
  for packet in packets {
    require(packet.bytes.count * 8 <= 6144 * config.channels, "a packet is no longer than a decoder's buffer")
    let outcome = decoder.decode(packet.bytes.span.bytes)
    require(outcome == .decoded && decoder.concealedPackets == 0, "every packet decodes")
    require(decoder.consumedBytes == packet.bytes.count, "a packet has nothing after its end")
    var samples = [Float](repeating: .nan, count: decoder.frameLength * channels)
    samples.withUnsafeMutableBytes { decoder.copyFloats(0..<decoder.frameLength, to: $0) }
    require(samples.allSatisfy(\.isFinite), "every sample is a number")
  }
}
