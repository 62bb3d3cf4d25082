import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Streams that change their channels on the way, as broadcasts do.
@Suite(.inTurn) struct ChangingChannelsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A stream of ADTS with some noise, the same each time.
  private func stream(_ layout: ChannelLayout, _ codec: AudioWriter.Codec = .aac, rate: Int = 44_100) throws -> [UInt8]
  {
    let path = folder.path("\(layout.channels).aac")
    var options = AudioWriter.Options()
    // Rates at which no band is replaced by noise, which each decoder makes differently.
    (options.codec, options.bitRate) = (codec, codec == .aac ? 64_000 * layout.channels : 24_000 * layout.channels)
    let writer = try AudioWriter(path: path, format: .int16(rate, layout), options: options)
    var generator = Noise(seed: 5)
    let samples = (0..<(30_000 * layout.channels)).map { _ in Int16.random(in: -4000...4000, using: &generator) }
    try writer.append(PCMBuffer(samples, sampleRate: rate, layout: layout))
    try writer.finish()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func reader(_ bytes: [UInt8]) throws -> AudioReader { try AudioReader(SourceReader(MemorySource(bytes))) }

  @Test(
    "what has other channels is mixed to those of the beginning, and the rest stays as it is",
    arguments: [AudioWriter.Codec.aac, .highEfficiencyAAC])
  func mixing(codec: AudioWriter.Codec) throws {
    let (stereo, mono) = (try stream(.stereo, codec), try stream(.mono, codec))
    let (two, one) = (try reader(stereo).read(), try reader(mono).read(channels: 2))
    let all = try reader(stereo + mono + stereo)
    #expect(all.format == .float32(44_100, .stereo))
    let sound = try all.read()
    // Windows overlap: the first packet after a change has nothing to overlap with, as that of a stream.
    #expect(sound == two + one + two)
    // From any frame on, too, back and forth.
    for frame in [two.count / 2 + 9000, 5000, two.count / 2 + one.count / 2 + 10_000] {
      try all.seek(to: Int64(frame))
      let part = try #require(try all.next(frames: 3000)).payload.floats
      #expect(part == Array(sound[(2 * frame)..<(2 * frame + 6000)]))
    }
  }

  @Test("surround in a stream of stereo sounds as ffmpeg mixes it", .needs(.ffmpeg))
  func surround() throws {
    let stereo = try stream(.stereo)
    let bytes = try stereo + stream(ChannelLayout(channels: 6)) + stereo
    let path = folder.path("all.aac")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let theirs = try Tool.ffmpeg.run([
      "-v", "error", "-i", path, "-af", "aresample=rematrix_maxval=1", "-f", "f32le", "-c:a", "pcm_f32le", "-",
    ]).output
    let sound = try reader(bytes).read()
    try #require(theirs.count == 4 * sound.count)
    let floats = unsafe theirs.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    // ffmpeg keeps what overlaps from before a change, from other channels, so the packets after it differ.
    let part = try reader(stereo).read().count
    try #require(sound.count == 3 * part)
    let differing = (0..<sound.count).filter { abs(sound[$0] - floats[$0]) > 1e-6 }
    #expect(differing.allSatisfy { $0 >= part && $0 % part < 2048 }, "\(differing.prefix(3))")
    #expect(sound[(part + 2048)..<(2 * part)].contains { abs($0) > 0.02 })
  }

  @Test("another rate is an error that says so, after all that comes before it")
  func rate() throws {
    let (first, other) = (try stream(.stereo), try stream(.stereo, rate: 48_000))
    let (whole, reader) = (try reader(first).read(), try reader(first + other))
    var sound: [Float] = []
    let error = #expect(throws: AudioDecodingError.self) {
      while let next = try reader.next() { sound += next.payload.floats }
    }
    #expect(sound == whole)
    #expect("\(try #require(error))".contains("a stream that changes its rate or channels is not supported"))
  }
}
