import Foundation
import Lyrebird
import TestSupport
import Testing

/// A decoder that comes from outside the library: eight bits of µ-law, read as if they were a sawtooth.
private final class ToyDecoder: AudioDecoder {
  let format: AudioFormat
  let maximumFrames = 1 << 16
  let bytesPerFrame: Int? = 1
  private var packet: [UInt8] = []

  init(sampleRate: Double) { format = AudioFormat(sampleRate: Int(sampleRate), sampleFormat: .float32, channels: 1) }

  func decodePacket(_ bytes: RawSpan) -> DecodedPacket {
    packet = (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    return DecodedPacket(frames: packet.count)
  }

  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Float>) {
    for (index, frame) in frames.enumerated() { samples[index] = Float(packet[frame]) / 256 }
  }
}

@Suite("Decoders from outside", .inTurn) struct CustomDecoderTests {
  struct Broken: Error, CustomStringConvertible { let description = "the toy is broken" }

  private func movie(_ folder: TemporaryFolder) throws -> (MP4Demuxer, Track) {
    let path = folder.path("made.mov")
    try MadeMedia.make(varied(channels: 1, rate: 8000, seconds: 0.5) + ["-c:a", "pcm_mulaw", path])
    let movie = try MP4Demuxer(path: path)
    return (movie, try #require(movie.audioTrack))
  }

  @Test("a program's decoder is asked first, and gets all samples at every depth", .needs(.ffmpeg))
  func plugIn() throws {
    let (movie, track) = try movie(try TemporaryFolder())
    let decoders = AudioDecoders.builtIn().adding("Toy") { description in
      guard description.codec == "ulaw", case .audio(let format) = description.format else { return nil }
      return ToyDecoder(sampleRate: format.sampleRate)
    }
    #expect(decoders.codecs == ["Toy", "AAC", "Apple Lossless", "PCM"])
    var samples = movie.samples(of: track)
    var bytes: [UInt8] = []
    while let sample = try samples.next() { bytes += try sample.payload.load() }
    let decoder = try AudioTrackDecoder(movie, track: track, decoders: decoders)
    #expect(!decoder.isLossless)
    try decoder.seek(to: 100)
    #expect(try decoder.rest() == bytes.dropFirst(100).map { Int32($0) << 23 })
    try decoder.seek(to: 10)
    var int16s = [Int16](repeating: 0, count: 50)
    var span = int16s.mutableSpan
    #expect(try decoder.next(into: &span) == 50)
    #expect(int16s == bytes[10..<60].map { Int16($0) << 7 })
  }

  @Test("what it throws is passed on in its words, with the file", .needs(.ffmpeg))
  func failing() throws {
    let (movie, track) = try movie(try TemporaryFolder())
    let decoders = AudioDecoders().adding("Toy") { _ in throw Broken() }
    let error = #expect(throws: AudioDecodingError.self) {
      try AudioTrackDecoder(movie, track: track, decoders: decoders)
    }
    #expect(error?.description == "\(movie.reader.source.name): PCM µ-law: the toy is broken")
  }

  @Test("a codec without a decoder is named, and those that have one", .needs(.ffmpeg))
  func unsupported() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("made.mp4")
    try MadeMedia.make(varied(channels: 2, rate: 48_000, seconds: 0.5) + ["-c:a", "ac3", path])
    let error = #expect(throws: AudioDecodingError.self) { try AudioTrackDecoder(path) }
    #expect(
      error?.description
        == "\(path): decoding AC-3 is not supported; AAC, Apple Lossless and PCM can be decoded")
  }
}
