import AAC
import Foundation
import Lyrebird
import TestSupport
import Testing

/// Streams of LOAS that other programs made, against what ffmpeg makes of them.
@Suite("LOAS of other programs", .inTurn)
struct LOASOracleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What is heard of a file.
  private func decoded(_ path: String) throws -> (samples: [Float], format: AudioFormat) {
    let source = SourceReader(try FileSource(path: path))
    try #require(try LOASReader.looksLikeLOAS(source))
    let decoder = try AudioTrackDecoder(AACStream(try LOASReader(source)))
    var samples: [Float] = []
    while let sound = try decoder.next() { samples += sound.payload.floats }
    #expect(decoder.concealedPackets == 0 && decoder.missingBytes == 0)
    return (samples, decoder.format)
  }

  private func check(_ path: String, atLeast ratio: Double) throws {
    let (samples, format) = try decoded(path)
    let reference = try ffmpegDecoded(path, options: ["-f", "loas"])
    #expect(samples.count == reference.count, "\(path): \(format)")
    #expect(Difference(samples, reference).ratio > ratio, "\(Difference(samples, reference))")
  }

  @Test(
    "ffmpeg's are decoded as ffmpeg decodes them",
    .needs(.ffmpeg),
    arguments: [
      MadeStream(), MadeStream(rate: 48000, channels: 1), MadeStream(rate: 48000, channels: 6, bitRate: 300),
      MadeStream(rate: 22050, channels: 2), MadeStream(rate: 96000, channels: 2, bitRate: 200),
    ])
  func encoded(stream: MadeStream) throws {
    var stream = stream
    stream.options += ["-f", "latm"]
    try stream.make(folder.path("made.latm"))
    try check(folder.path("made.latm"), atLeast: 100)
  }

  @Test("The packets of a movie are the same behind LATM", .needs(.ffmpeg))
  func copied() throws {
    try MadeStream(seconds: 1.5).make(folder.path("in.m4a"))
    try MadeMedia.make(["-i", folder.path("in.m4a"), "-c", "copy", "-f", "latm", folder.path("out.latm")])
    try MadeMedia.make(["-i", folder.path("in.m4a"), "-c", "copy", folder.path("out.aac")])
    var loas = try LOASReader(SourceReader(try FileSource(path: folder.path("out.latm"))))
    var adts = try ADTSReader(SourceReader(try FileSource(path: folder.path("out.aac"))))
    var count = 0
    while let expected = try adts.next() {
      let packet = try #require(try loas.next())
      #expect(try packet.payload.load() == expected.payload.load())
      #expect(packet.timing == expected.timing)
      count += 1
    }
    #expect(try loas.next() == nil && count > 60)
  }

  /// fdkaac's profiles, the channels of the sound, and how it announces SBR and PS.
  static let profiles = [(2, 2), (5, 2), (5, 1), (29, 2)]

  @Test("fdkaac's, high-efficiency AAC included", .needs(.ffmpeg, .fdkaac), arguments: profiles)
  func fraunhofer(profile: Int, channels: Int) throws {
    let wav = folder.path("in.wav")
    try MadeMedia.make(
      ["-f", "lavfi", "-i", "aevalsrc=0.4*sin(700*t*(1+t))+0.05*random(0):s=44100:d=2", "-ac", "\(channels)", wav])
    for period in [1, 30] {
      let path = folder.path("\(profile)-\(period).loas")
      let result = try Tool.fdkaac.run(
        ["-S", "-p", "\(profile)", "-b", "\(profile == 2 ? 128 : 40)k", "-f", "10", "-o", path, wav]
          + (period == 1 ? [] : ["--header-period", "\(period)"]))
      try #require(result.status == 0, "\(result.errors)")
      try check(path, atLeast: 60)
    }
  }
}
