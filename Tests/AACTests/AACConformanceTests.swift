import Foundation
import Lyrebird
import TestSupport
import Testing

/// Against ffmpeg's float decoder, sample by sample.
@Suite("AAC conformance", .inTurn, .needs(.corpus, .ffmpeg))
struct AACConformanceTests {
  /// A stream of the standard's conformance suite.
  struct Stream: Sendable, CustomTestStringConvertible {
    let name: String
    var testDescription: String { name }
    var path: String { Shared.folder.appendingPathComponent("aac/\(name).mp4").path }
  }

  /// Has filters at the edge of stability, which tell a difference in the last place of a coefficient.
  static let short = [Stream(name: "al15_44")]
  static let long = ["al04_44", "al04sf_48", "al06_44", "al07_96", "al18_44", "am00_88"].map { Stream(name: $0) }

  private func check(_ path: String) throws {
    let decoded = try Decoded(movie: path)
    let reference = try ffmpegDecoded(path)
    #expect(decoded.samples.count == reference.count)
    #expect(decoded.concealed == 0)
    let difference = Difference(decoded.samples, reference)
    #expect(difference.largest <= 0.05 && difference.ratio >= 125, "\(difference)")
  }

  @Test("a conformance stream decodes to what ffmpeg decodes it to", arguments: short)
  func conformance(stream: Stream) throws {
    try check(stream.path)
  }

  @Test(
    "the long conformance streams decode to what ffmpeg decodes them to",
    .needs(.patience), arguments: long)
  func longConformance(stream: Stream) throws {
    try check(stream.path)
  }

  static let few: [MadeStream] = [
    MadeStream(rate: 8000, channels: 1, bitRate: 12), MadeStream(rate: 48000, channels: 6, bitRate: 256),
    MadeStream(rate: 96000, bitRate: 128),
    MadeStream(rate: 44100, bitRate: 64, options: ["-profile:a", "aac_ltp", "-strict", "-2"]),
    MadeStream(rate: 32000, bitRate: 96, options: ["-profile:a", "aac_main"]),
  ]

  static let rates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000]
  static let all: [MadeStream] = rates.flatMap { rate in (1...6).map { stream(rate: rate, channels: $0) } }

  private static func stream(rate: Int, channels: Int) -> MadeStream {
    let bitRate = rate / 1000 * channels * (1 + channels % 3)
    let seconds = 1 + Double(rate % 7) / 10 + Double(channels) / 1000
    return MadeStream(rate: rate, channels: channels, bitRate: max(min(bitRate, 500), 8), seconds: seconds)
  }

  @Test("a stream made by ffmpeg decodes to what ffmpeg decodes it to", arguments: few)
  func made(stream: MadeStream) throws {
    let folder = try TemporaryFolder()
    try stream.make(folder.path("made.m4a"))
    try check(folder.path("made.m4a"))
  }

  @Test(
    "streams of all rates and layouts decode to what ffmpeg decodes them to",
    .needs(.patience), arguments: all)
  func madeOfAllKinds(stream: MadeStream) throws {
    try made(stream: stream)
  }

  @Test("frames of 960 samples decode to what ffmpeg decodes them to", arguments: [1, 2])
  func shortFrames(channels: Int) throws {
    let folder = try TemporaryFolder()
    let (path, changed) = (folder.path("made.m4a"), folder.path("960.m4a"))
    // No encoder makes these: the same packets with the flag set mean frames of 960 samples, as all but the last band
    // lie alike. What they sound like does not matter.
    try MadeStream(channels: channels, bitRate: 40 * channels, options: ["-cutoff", "12000"]).make(path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let config = try #require(bytes.range(of: Data([0x05, 0x80, 0x80, 0x80, 0x05, 0x12])))
    bytes[config.upperBound] |= 0x04
    try bytes.write(to: URL(fileURLWithPath: changed))
    let decoded = try Decoded(movie: changed)
    let reference = try ffmpegDecoded(changed)
    #expect(decoded.format.channels == channels)
    #expect(decoded.samples.count % 960 == 0 && decoded.samples.count == reference.count)
    let difference = Difference(decoded.samples, reference)
    #expect(difference.largest <= 0.05 && difference.ratio >= 125, "\(difference)")
  }

  @Test("noise that stands for bands is the noise that ffmpeg makes", arguments: [1, 2])
  func noise(channels: Int) throws {
    let folder = try TemporaryFolder()
    let (path, coded) = (folder.path("noise.m4a"), folder.path("coded.m4a"))
    let expression = (0..<channels).map { "0.5*(random(\($0))-0.5)" }.joined(separator: "|")
    for (path, isSubstituted) in [(path, "1"), (coded, "0")] {
      try MadeMedia.make([
        "-f", "lavfi", "-i", "aevalsrc='\(expression)':s=44100:d=1", "-c:a", "aac", "-b:a", "\(32 * channels)k",
        "-aac_pns", isSubstituted, path,
      ])
    }
    #expect(Difference(try ffmpegDecoded(path), try ffmpegDecoded(coded)).ratio < 20, "the stream has noise in it")
    try check(path)
  }

  @Test(
    "intensity is not inverted where middle and side are on in all bands at once, as faad has it and the standard",
    .needs(.faad))
  func intensityUnderFullMask() throws {
    let folder = try TemporaryFolder()
    let (path, stream, raw) = (folder.path("made.m4a"), folder.path("made.aac"), folder.path("made.f32"))
    let side = "0.3*(random(0)-0.5)+0.2*sin(2*PI"
    try MadeMedia.make([
      "-f", "lavfi", "-i", "aevalsrc='\(side)*500*t)|\(side)*700*t)':s=44100:d=1", "-c:a", "aac", "-aac_coder", "fast",
      "-aac_pns", "0", "-aac_ms", "1", "-b:a", "64k", path,
    ])
    let decoded = try Decoded(movie: path)
    // ffmpeg inverts it: that shows that the stream has such bands.
    #expect(Difference(decoded.samples, try ffmpegDecoded(path)).ratio < 40)
    try MadeMedia.make(["-i", path, "-c", "copy", stream])
    _ = try Tool.faad.run(["-q", "-b", "4", "-f", "2", "-o", raw, stream])
    let reference = try unsafe Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes {
      unsafe Array($0.bindMemory(to: Float.self))
    }
    // faad keeps the first packet to itself.
    let difference = Difference(Array(decoded.samples.dropFirst(2048)), reference)
    #expect(reference.count > 80_000)
    #expect(difference.largest <= 0.05 && difference.ratio >= 125, "\(difference)")
  }
}
