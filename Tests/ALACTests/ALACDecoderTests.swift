import Foundation
import Lyrebird
import TestSupport
import Testing

/// Apple Lossless as ffmpeg's encoder writes it, beside what ffmpeg's decoder makes of it.
@Suite("Apple Lossless decoder", .inTurn) struct ALACDecoderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The layouts of ffmpeg's encoder for one channel, two, and so on.
  static let layouts = ["mono", "stereo", "3.0", "4.0", "5.0", "5.1", "6.1(back)", "7.1(wide)"]

  private func made(
    channels: Int, bits: Int, seconds: Double, rate: Int = 44_100, options: [String] = []
  ) throws -> String {
    let path = folder.path("made.m4a")
    let filter =
      "aformat=sample_fmts=\(bits == 16 ? "s16p" : "s32p"):channel_layouts=\(ALACDecoderTests.layouts[channels - 1])"
    try MadeMedia.make(
      varied(channels: channels, rate: rate, seconds: seconds) + ["-af", filter, "-c:a", "alac"] + options + [path])
    return path
  }

  @Test(
    "every sample is the one that ffmpeg decodes, in every channel's place", .needs(.ffmpeg), arguments: 1...8,
    [16, 24])
  func channels(_ channels: Int, bits: Int) throws {
    let path = try made(channels: channels, bits: bits, seconds: 0.6137)
    let ours = try DecodedTrack(path)
    #expect(ours.samples == (try ffmpegInt32s(path)))
    #expect(ours.format.channels == channels && ours.format.sampleFormat.bitDepth == bits)
    #expect(ours.samples.contains { $0 > 1 << 30 })
  }

  @Test("any order of prediction is undone", .needs(.ffmpeg), arguments: [1, 2, 3, 4, 5, 7, 8, 9, 13, 30])
  func orders(_ order: Int) throws {
    let options = ["-min_prediction_order", "\(order)", "-max_prediction_order", "\(order)"]
    let path = try made(channels: 2, bits: 16, seconds: 0.55, options: options)
    #expect(try DecodedTrack(path).samples == (try ffmpegInt32s(path)))
  }

  @Test(
    "tracks of any length have as many frames as went in", .needs(.ffmpeg),
    arguments: [1, 2, 100, 4095, 4096, 4097, 8193])
  func lengths(_ frames: Int) throws {
    let path = try made(
      channels: 2, bits: 16, seconds: 1, options: ["-frames:a", "1000", "-af", "atrim=end_sample=\(frames)"])
    let ours = try DecodedTrack(path)
    #expect(ours.frames == frames)
    #expect(ours.samples == (try ffmpegInt32s(path)))
  }

  @Test("seeking finds the very frame", .needs(.ffmpeg))
  func seeking() throws {
    let path = try made(channels: 2, bits: 24, seconds: 0.7)
    let whole = try DecodedTrack(path).samples
    let decoder = try AudioTrackDecoder(path)
    for frame in [0, 1, 4095, 4096, 12_345, 30_869, 30_870, 99_999] as [Int64] {
      try decoder.seek(to: frame)
      #expect(try decoder.rest() == Array(whole.dropFirst(2 * Int(frame))), "\(frame)")
    }
  }

  @Test("16 and 24 bits come out at every depth, rounded to the nearest", .needs(.ffmpeg), arguments: [16, 24])
  func depths(bits: Int) throws {
    let path = try made(channels: 2, bits: bits, seconds: 0.5)
    let whole = PCMBuffer(try DecodedTrack(path).samples, sampleRate: 44_100, layout: .stereo)
    let decoders = try (0..<2).map { _ in try AudioTrackDecoder(path) }
    var int16s = [Int16](repeating: 0, count: 2 * 4096)
    var floats = [Float](repeating: 0, count: 2 * 4096)
    var (allInt16s, allFloats): ([Int16], [Float]) = ([], [])
    while true {
      var some = int16s.mutableSpan
      guard let count = try decoders[0].next(into: &some) else { break }
      var others = floats.mutableSpan
      #expect(try decoders[1].next(into: &others) == count)
      allInt16s += int16s.prefix(2 * count)
      allFloats += floats.prefix(2 * count)
    }
    #expect(allInt16s == whole.int16s && allFloats == whole.floats)
  }

  @Test("a configuration reads the same bare, in a box and in atoms")
  func configurations() throws {
    let bare: [UInt8] =
      [0, 0, 0x10, 0, 0, 24, 40, 10, 14, 2, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xBB, 0x80]
    let configuration = try ALACConfiguration(bare)
    #expect(configuration.frameLength == 4096 && configuration.bitDepth == 24 && configuration.channels == 2)
    #expect(configuration.sampleRate == 48_000 && configuration.format.sampleFormat == .int24)
    let atoms = [0, 0, 0, 12] + Array("frmaalac".utf8) + [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0]
    #expect(try ALACConfiguration([0, 0, 0, 0] + bare) == configuration)
    #expect(try ALACConfiguration(atoms + bare) == configuration)
    #expect(try ALACConfiguration(bare + [UInt8](repeating: 7, count: 24)) == configuration)
  }

  @Test("a configuration that cannot be is refused, with its field")
  func refusedConfigurations() throws {
    let good: [UInt8] = [0, 0, 0x10, 0, 0, 16, 40, 10, 14, 2, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAC, 0x44]
    func code(_ changes: [Int: UInt8]) -> AudioCodecError.Code? {
      var bytes = good
      for (offset, byte) in changes { bytes[offset] = byte }
      return #expect(throws: AudioCodecError.self) { try ALACConfiguration(bytes) }?.code
    }
    #expect(code([2: 0]) == .invalidValue(0) && code([1: 1, 3: 1]) == .invalidValue(69_633))
    #expect(code([4: 1]) == .notDecodable("version 1 of it"))
    #expect(code([5: 12]) == .notDecodable("12 bits"))
    #expect(code([9: 0]) == .invalidValue(0) && code([9: 9]) == .invalidValue(9))
    #expect(code([8: 0]) == .invalidValue(0))
    #expect(code([22: 0, 23: 0]) == .invalidValue(0))
    #expect(throws: AudioCodecError(.noConfiguration, codec: "Apple Lossless")) {
      try ALACConfiguration(Array(good.dropLast()))
    }
  }

  @Test(
    "mutated packets are decoded or concealed, and the next good one is good", .needs(.ffmpeg), arguments: [16, 24])
  func mutations(bits: Int) throws {
    let path = try made(channels: 3, bits: bits, seconds: 0.6)
    let movie = try MP4Demuxer(path: path)
    let track = try #require(movie.audioTrack)
    let decoder = ALACDecoder(try ALACConfiguration(try #require(track.descriptions.first)))
    var samples = movie.samples(of: track)
    var packets: [[UInt8]] = []
    while let sample = try samples.next() { packets.append(Array(try sample.payload.load())) }
    var noise = Noise(seed: 7)
    var faults = 0
    var (memory, good) = ([Int32](repeating: 0, count: 3 * 4096), [Int32](repeating: 0, count: 3 * 4096))
    for number in 0..<(Interruptions.isExhaustive ? 20_000 : 300) {
      var packet = packets[number % packets.count]
      let first = unsafe decoder.decodePacket(packet.span.bytes)
      var span = good.mutableSpan
      decoder.copy(0..<first.frames, to: &span)
      let whole = packet
      for _ in 0..<Int.random(in: 1...4, using: &noise) {
        packet[Int.random(in: packet.indices, using: &noise)] ^= 1 << UInt8.random(in: 0..<8, using: &noise)
      }
      if noise.once(in: 4) { packet.removeLast(Int.random(in: 0...packet.count, using: &noise)) }
      let outcome = unsafe decoder.decodePacket(packet.span.bytes)
      faults += outcome.fault == nil ? 0 : 1
      #expect((0...4096).contains(outcome.frames))
      let again = unsafe decoder.decodePacket(whole.span.bytes)
      span = memory.mutableSpan
      decoder.copy(0..<again.frames, to: &span)
      #expect(again.fault == nil && memory.prefix(3 * again.frames) == good.prefix(3 * first.frames))
    }
    #expect(faults > 0)
  }
}
