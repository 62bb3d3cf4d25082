// A codec of one's own, plugged into the library: sound in four bits a sample, in a movie and back.
//
//     swift run custom-codec in.wav out.mp4 back.wav
//
// A codec that the library does not know needs two things. A movie has to say what its packets are: a sample entry with a
// code of four characters. And something has to decode them: a class of some twenty lines, which `AudioDecoders` is told
// of. Everything between the two, from the index of the movie to seeking, is the same for every codec.

import Lyrebird

/// What encoder and decoder share: the last sample, and a step that grows when it was too small and shrinks otherwise.
struct Follower {
  var value = 0
  var step = 64

  /// Moves by an odd number of half steps, up to 15: down for numbers from 0 to 7, up for those from 8 to 15.
  mutating func follow(_ number: Int) -> Int16 {
    let move = 2 * number - 15
    value = min(max(value + move * step / 2, -32_768), 32_767)
    step = min(max(abs(move) > 9 ? step * 3 / 2 : step * 9 / 10, 16), 8192)
    return Int16(value)
  }

  /// The number that leads nearest to a sample.
  func number(for sample: Int16) -> Int {
    min(max(((Int(sample) - value) * 2 + 15 * step + step) / (2 * step), 0), 15)
  }
}

/// The decoder. A packet is the value and the step to begin with, two bytes each, then two samples a byte: so each can be
/// decoded by itself, and nothing needs to be done to seek.
final class FourBitDecoder: AudioDecoder {
  let format: AudioFormat
  let maximumFrames = FourBitEncoder.frames
  let framesPerPacket: Int? = FourBitEncoder.frames
  private var samples: [Int16] = []

  init(sampleRate: Int) { format = AudioFormat(sampleRate: sampleRate, channels: 1) }

  func decodePacket(_ bytes: RawSpan) throws -> DecodedPacket {
    guard bytes.byteCount > 4, bytes.byteCount <= 4 + maximumFrames / 2 else {
      throw AudioCodecError(.truncated, codec: FourBitEncoder.name)
    }
    // Every offset is below the count.
    let packet = (0..<bytes.byteCount).map { unsafe Int(bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)) }
    var follower = Follower(value: Int(Int16(truncatingIfNeeded: packet[0] << 8 | packet[1])))
    follower.step = min(max(packet[2] << 8 | packet[3], 16), 8192)
    samples = packet.dropFirst(4).flatMap { [follower.follow($0 >> 4), follower.follow($0 & 15)] }
    return DecodedPacket(frames: samples.count)
  }

  func copy(_ frames: Range<Int>, to target: inout MutableSpan<Float>) {
    for (index, frame) in frames.enumerated() { target[index] = Float(samples[frame]) / 32_768 }
  }
}

/// The encoder: no part of the library has to know of it.
struct FourBitEncoder {
  static let name = "four bits"
  static let code: FourCC = "4bit"
  /// Frames of a packet.
  static let frames = 1024
  private var follower = Follower()
  private var packets: Int64 = 0

  mutating func encode(_ samples: ArraySlice<Int16>, sampleRate: Int) -> EncodedSample {
    var bytes = [follower.value >> 8, follower.value, follower.step >> 8, follower.step]
    let padded = Array(samples) + [Int16](repeating: samples.last ?? 0, count: samples.count % 2)
    for index in stride(from: 0, to: padded.count, by: 2) {
      let numbers = padded[index..<(index + 2)].map { sample in
        let number = follower.number(for: sample)
        _ = follower.follow(number)
        return number
      }
      bytes.append(numbers[0] << 4 | numbers[1])
    }
    let time = packets * Int64(FourBitEncoder.frames)
    packets += 1
    let timing = SampleTiming(
      decodeTime: time, presentationTime: time, duration: Int64(samples.count), timescale: UInt32(sampleRate))
    let payload = bytes.map { UInt8(truncatingIfNeeded: $0) }
    return EncodedSample(trackID: 1, timing: timing, isSync: true, payload: .bytes(payload[...]))
  }

  /// What a movie says of the packets: the fields of every sound's sample entry, and nothing more.
  static func description(sampleRate: Int) -> SampleDescription {
    var entry: [UInt8] = [0, 0, 0, 36] + Array("4bit".utf8)
    entry += [0, 0, 0, 0, 0, 0, 0, 1]  // reserved; the data is in this file
    entry += [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 0]  // one channel of 16 bits
    entry += [UInt8(sampleRate >> 8 & 255), UInt8(sampleRate & 255), 0, 0]
    let format = AudioTrackFormat(
      sampleRate: Double(sampleRate), channels: 1, bitsPerSample: 16, decoderConfiguration: [])
    return SampleDescription(
      entryType: code, codec: code, codecName: name, codecString: "4bit", format: .audio(format), entry: entry)
  }
}

@main
struct CustomCodec {
  static func main() throws {
    guard CommandLine.arguments.count == 4 else {
      print("usage: custom-codec IN.wav OUT.mp4 BACK.wav")
      return
    }
    let (path, back) = (CommandLine.arguments[2], CommandLine.arguments[3])
    try encode(CommandLine.arguments[1], to: path)
    // One line tells the library of the decoder: whoever opens a movie asks these in turn.
    let decoders = AudioDecoders.builtIn().adding(FourBitEncoder.name) { description in
      guard description.codec == FourBitEncoder.code, case .audio(let format) = description.format else { return nil }
      return FourBitDecoder(sampleRate: Int(format.sampleRate))
    }
    let reader = try AudioReader(path: path, decoders: decoders)
    let writer = try AudioWriter(path: back, format: reader.format)
    while let sound = try reader.next() { try writer.append(sound) }
    print("\(try writer.finish().frames) frames, there and back")
  }

  /// The sound of a file, mixed to one channel, in packets of 1024 frames.
  private static func encode(_ input: String, to path: String) throws {
    let reader = try AudioReader(path: input)
    // What a sample entry can say is 16 bits of it.
    let rate = min(reader.format.sampleRate, 48_000)
    try reader.setFormat(.int16(rate, .mono))
    let muxer = try MP4Muxer(
      path: path,
      tracks: [MuxerTrack(audio: FourBitEncoder.description(sampleRate: rate), timescale: UInt32(rate))])
    var encoder = FourBitEncoder()
    while let sound = try reader.next(frames: FourBitEncoder.frames) {
      try muxer.append(encoder.encode(sound.payload.int16s[...], sampleRate: rate))
    }
    _ = try muxer.finish()
  }
}
