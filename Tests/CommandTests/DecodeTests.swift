import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct DecodeTests {
  private func made(_ name: String, _ folder: TemporaryFolder, seconds: Double = 0.5) throws -> String {
    let path = folder.path(name)
    try MadeMedia.make([
      "-f", "lavfi", "-i", "aevalsrc='0.6*sin(880*t)|0.4*sin(1320*t)':s=44100:d=\(seconds)", "-c:a", "aac",
      "-aac_pns", "0", path,
    ])
    return path
  }

  private func samples(_ path: String) throws -> [Int16] {
    let folder = try TemporaryFolder()
    try MadeMedia.make(["-i", path, "-f", "s16le", folder.path("raw")])
    return try unsafe Data(contentsOf: URL(fileURLWithPath: folder.path("raw"))).withUnsafeBytes {
      unsafe Array($0.bindMemory(to: Int16.self))
    }
  }

  @Test(
    "decode writes the frames that were encoded, as ffmpeg decodes them",
    .needs(.ffmpeg), arguments: ["s16", "f32"])
  func decode(format: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (try made("in.m4a", folder), folder.path("out.wav"))
    let result = try Command.run("decode", input, output, "--format", format)
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("44100 Hz, 2 channels, 22050 frames"))
    let (ours, theirs) = (try samples(output), try samples(input))
    #expect(ours.count == 2 * 22050)
    #expect(zip(ours, theirs).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    #expect(ours.contains { abs(Int($0)) > 10_000 })
  }

  @Test("decode to - writes a WAVE stream", .needs(.ffmpeg))
  func decodeToStandardOutput() throws {
    let folder = try TemporaryFolder()
    let result = try Command.run("decode", try made("in.m4a", folder), "-")
    #expect(result.status == 0)
    #expect(result.output.starts(with: Data("RIFF".utf8)))
    #expect(result.output.suffix(4 * 22050).count == 4 * 22050)
  }

  @Test(
    "high-efficiency AAC is refused and leaves no file, unless its core is asked for",
    .needs(.corpus),
    arguments: [("al_sbr_cm_48_2", "24000 Hz, 2 channels"), ("al_sbr_ps_06_new", "16000 Hz, 1 channel")])
  func highEfficiency(name: String, says: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (
      Shared.folder.appendingPathComponent("aac/\(name).mp4").path, folder.path("out.wav")
    )
    let refused = try Command.run("decode", input, output)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("HE-AAC") && refused.errors.contains("--core-only"))
    #expect(!FileManager.default.fileExists(atPath: output))
    let core = try Command.run("decode", input, output, "--core-only")
    #expect(core.status == 0 && core.errors.contains(says), "\(core.errors)")
  }

  @Test(
    "broken packets are named and decoding goes on", .needs(.ffmpeg))
  func brokenPackets() throws {
    let folder = try TemporaryFolder()
    let (input, output) = (try made("in.m4a", folder), folder.path("out.wav"))
    let listing = try Command.run("packets", input, "--json").text.split(separator: "\n").map(String.init)
    let line = try #require(listing.dropFirst(9).first)
    let offset = try #require(line.split(separator: "\"offset\":").last?.prefix { $0.isNumber }).description
    var bytes = try Data(contentsOf: URL(fileURLWithPath: input))
    let place = try #require(Int(offset))
    bytes.replaceSubrange(place..<(place + 4), with: [0xFF, 0xFF, 0xFF, 0xFF])
    try bytes.write(to: URL(fileURLWithPath: input))
    let result = try Command.run("decode", input, output)
    #expect(result.status == 0)
    #expect(result.errors.contains("concealed: packet 9"), "\(result.errors)")
    #expect(result.errors.contains("22050 frames"))
  }

  @Test("what is no AAC is refused by name; what is not there, too")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let (demo, movie) = try Demo.movie()
    defer { withExtendedLifetime(demo) {} }
    let output = folder.path("out.wav")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: output))
    #expect(try Command.run("decode", movie, output, "--no-clobber").status == 73)
    #expect(try Command.run("decode", folder.path("none.m4a"), output).status == 66)
    #expect(try Command.run("decode", movie, output, "--track", "1").status == 65)
    #expect(try Command.run("decode", movie, output, "--format", "s12").status == 64)
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "kept")
  }
}
