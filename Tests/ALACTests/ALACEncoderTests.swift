import Foundation
import Lyrebird
import TestSupport
import Testing

/// What our encoder makes, by two decoders: ours and ffmpeg's.
@Suite("Apple Lossless encoder", .inTurn) struct ALACEncoderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Case: Sendable, CustomTestStringConvertible {
    var depth = AudioFormat.SampleFormat.int16
    var channels = 2
    var frames = 10_000
    /// Frames of the buffers that it is given.
    var buffer = 1000
    /// Bits of a coded sample, if not those of `depth`.
    var coded: Int?
    var bits: Int { coded ?? depth.bitDepth }
    var testDescription: String { "\(bits) bits, \(channels) channels, \(frames) frames by \(buffer)" }
  }

  static let cases: [Case] =
    [AudioFormat.SampleFormat.int16, .int24, .int32].flatMap { depth in
      (1...8).map { Case(depth: depth, channels: $0) }
    }
    + (1...8).map { Case(depth: .int24, channels: $0, coded: 20) }
    + [1, 17, 4097].map { Case(depth: .int24, frames: $0, coded: 20) }
    + [1, 2, 3, 17, 4095, 4096, 4097, 8192].map { Case(frames: $0) }
    + [Case(buffer: 1), Case(buffer: 9999)]

  /// Tones with a common part, silence, noise at full scale, a square wave.
  private func sound(_ item: Case) -> [Int32] {
    var noise = Noise(seed: UInt64(item.frames))
    let mask = ~Int32(truncatingIfNeeded: UInt32.max >> item.bits as UInt32)
    return (0..<item.frames).flatMap { frame in
      (0..<item.channels).map { channel in
        let tone = sin(Double(frame) * 0.05) + 0.3 * sin(Double(frame * (channel + 1)) * 0.011)
        let sample =
          switch frame / 1000 % 5 {
          case 0, 1: Int32(tone * 0.7 * 2_147_483_647)
          case 2: 0 as Int32
          case 3: Int32(truncatingIfNeeded: noise.next())
          default: frame & 32 == 0 ? Int32.max : .min
          }
        return sample & mask
      }
    }
  }

  @Test("what went in comes out of two decoders", .needs(.ffmpeg), arguments: cases)
  func roundTrip(_ item: Case) throws {
    // The layout for eight channels is not the usual one: the last two are in front.
    let layout = item.channels == 8 ? ChannelLayout(channels: 8, mask: 0xFF) : ChannelLayout(channels: item.channels)
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: item.depth, layout: layout)
    let samples = sound(item)
    let encoder = try ALACEncoder(format: format, bitDepth: item.coded)
    let path = folder.path("made.m4a")
    let muxer = try MP4Muxer(path: path, tracks: [MuxerTrack(encoder)])
    var packets: [EncodedSample] = []
    for start in stride(from: 0, to: samples.count, by: item.buffer * item.channels) {
      let part = Array(samples[start..<min(start + item.buffer * item.channels, samples.count)])
      packets += try encoder.encode(
        PCMSample(PCMBuffer(part, sampleFormat: item.depth, sampleRate: 44_100, layout: layout)))
    }
    packets += encoder.finish()
    #expect(encoder.finish().isEmpty)
    for packet in packets { try muxer.append(packet) }
    _ = try muxer.finish()
    let ours = try DecodedTrack(path)
    #expect(ours.samples == samples && ours.format == format)
    // ffmpeg takes a track whose samples last one tick for old PCM, whatever the codec.
    if item.frames > 1 { #expect(try ffmpegInt32s(path) == samples) }
    #expect(packets.map(\.timing.duration).reduce(0, +) == Int64(item.frames))
    let track = try #require(try MP4Demuxer(path: path).audioTrack)
    #expect(track.audioFormat?.bitsPerSample == item.bits && track.audioFormat?.channels == item.channels)
  }

  @Test("music takes no more room than by ffmpeg", .needs(.ffmpeg, .corpus))
  func size() throws {
    let sounds = Shared.folder.appendingPathComponent("audio")
    for name in try FileManager.default.contentsOfDirectory(atPath: sounds.path).sorted() where name.hasSuffix(".wav") {
      var wav = try PCMFileReader(path: sounds.appendingPathComponent(name).path)
      let encoder = try ALACEncoder(format: wav.format)
      var bytes = 0
      while let sound = try wav.next() { bytes += try encoder.encode(sound).reduce(0) { $0 + $1.payload.count } }
      bytes += encoder.finish().reduce(0) { $0 + $1.payload.count }
      let path = folder.path("reference.m4a")
      try MadeMedia.make(["-i", sounds.appendingPathComponent(name).path, "-c:a", "alac", path])
      let movie = try MP4Demuxer(path: path)
      let reference = try movie.byteCount(of: try #require(movie.audioTrack))
      #expect(UInt64(bytes) <= reference, "\(name)")
      if !Interruptions.isExhaustive { break }
    }
  }

  @Test("more bits than are coded are rounded", arguments: [16, 20, 24])
  func rounded(bits: Int) throws {
    var noise = Noise(seed: 5)
    let samples = (0..<5000).map { _ in Int32(truncatingIfNeeded: noise.next()) } + [.max, .min]
    let format = AudioFormat(sampleRate: 48_000, sampleFormat: .int32, channels: 1)
    let encoder = try ALACEncoder(format: format, bitDepth: bits)
    let packets =
      try encoder.encode(PCMSample(PCMBuffer(samples, sampleRate: 48_000, layout: .mono))) + encoder.finish()
    let decoder = ALACDecoder(encoder.configuration)
    var decoded: [Int32] = []
    for packet in packets {
      let bytes = try packet.payload.load()
      let frames = unsafe decoder.decodePacket(Array(bytes).span.bytes).frames
      var part = [Int32](repeating: 0, count: frames)
      var span = part.mutableSpan
      decoder.copy(0..<span.count, to: &span)
      decoded += part
    }
    let step = Double(1 << (32 - bits))
    let expected = samples.map { sample in
      Int32(min((Double(sample) / step).rounded(.toNearestOrEven) * step, 2_147_483_648 - step))
    }
    // Full scale rounds up to what there is not: it is cut off at the highest value.
    #expect(decoded == expected)
  }

  @Test("what cannot be encoded is refused, and said why")
  func refused() throws {
    func reason(_ format: AudioFormat) -> String? {
      #expect(throws: AudioCodecError.self) { try ALACEncoder(format: format) }?.reason
    }
    #expect(
      reason(AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 2))
        == "Apple Lossless: encoding floats is not supported")
    #expect(
      reason(AudioFormat(sampleRate: 44_100, channels: 9)) == "Apple Lossless: encoding 9 channels is not supported")
    #expect(reason(AudioFormat(sampleRate: 0, channels: 1))?.contains("0 Hz") == true)
    #expect(throws: AudioCodecError.self) { try ALACEncoder(format: AudioFormat(), bitDepth: 18) }
    let encoder = try ALACEncoder(format: AudioFormat())
    #expect(throws: AudioCodecError.self) {
      try encoder.encode(PCMSample(PCMBuffer([1] as [Int16], sampleRate: 44_100, layout: .mono)))
    }
  }

  @Test("a last packet of 32 bits that is not compressed is decoded by ffmpeg too", .needs(.ffmpeg))
  func rawPairs() throws {
    let path = folder.path("raw.m4a")
    var noise = Noise(seed: 32)
    let samples = (0..<(2 * 5000)).map { _ in Int32.random(in: .min ... .max, using: &noise) }
    var options = AudioWriter.Options()
    options.codec = .appleLossless
    let buffer = PCMBuffer(samples, sampleRate: 44_100, layout: .stereo)
    let writer = try AudioWriter(path: path, format: buffer.format, options: options)
    try writer.append(buffer)
    try writer.finish()
    let result = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "s32le", "-c:a", "pcm_s32le", "-"])
    let bytes = samples.flatMap { sample in (0..<4).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) } }
    #expect(result.errors == "" && result.output == Data(bytes))
  }
}
