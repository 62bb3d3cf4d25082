import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct RepairCommandTests {
  private let folder: TemporaryFolder
  private let cut: String

  /// A recording whose index was never written.
  init() throws {
    folder = try TemporaryFolder()
    cut = folder.path("cut.m4a")
    guard Tool.ffmpeg.isAvailable else { return }
    let whole = folder.path("whole.m4a")
    try MadeMedia.make(["-f", "lavfi", "-i", "anoisesrc=d=8:c=pink:r=44100:seed=1", "-c:a", "aac", whole])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
    let index = try #require(bytes.range(of: Data("moov".utf8)))
    try bytes.prefix(index.lowerBound - 4).write(to: URL(fileURLWithPath: cut))
  }

  @Test("a recording without an index is saved, and what was found and assumed is said", .needs(.ffmpeg))
  func saves() throws {
    let saved = folder.path("saved.m4a")
    let result = try Command.run("repair", cut, saved)
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(result.errors.contains("AAC-LC") && result.errors.contains("assumed: 44100 Hz"), "\(result.errors)")
    #expect(try Command.run("info", saved).text.contains("44.1 kHz, mono"))
    let known = try Command.run("repair", cut, saved, "--rate", "48000", "--json")
    #expect(known.status == 0 && known.errors.isEmpty, "\(known.errors)")
    let object = try #require(try JSONSerialization.jsonObject(with: known.output) as? [String: Any])
    #expect(object["method"] as? String == "packets" && object["unused_bytes"] as? Int == 0)
    let track = try #require((object["tracks"] as? [[String: Any]])?.first)
    #expect(track["gap_count"] as? Int == 0 && (track["found"] as? Int ?? 0) > 300)
    #expect(try Command.run("info", saved).text.contains("48 kHz"))
  }

  @Test("it replaces neither the broken file nor the pattern, and goes to standard output, too", .needs(.ffmpeg))
  func places() throws {
    let (whole, saved) = (folder.path("whole.m4a"), folder.path("saved.m4a"))
    let before = try [cut, whole].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    let piped = try Command.run("repair", cut, "-")
    #expect(piped.status == 0 && piped.output.count > 10_000)
    #expect(try Command.run("repair", cut, cut).status == 64)
    let pattern = try Command.run("repair", cut, whole, "--like", whole)
    #expect(pattern.status == 64 && pattern.errors.contains("is also the pattern"), "\(pattern.errors)")
    #expect(try [cut, whole].map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
    #expect(try Command.run("repair", cut, saved, "--quiet").status == 0)
    #expect(try Command.run("repair", cut, saved, "--no-clobber").status == 73)
    let again = try Command.run("repair", saved, folder.path("again.m4a"))
    #expect(again.status == 0 && again.errors.contains("nothing was wrong"), "\(again.errors)")
  }

  @Test("errors say what to do, and have the usual numbers", .needs(.ffmpeg))
  func errors() throws {
    let noise = folder.path("noise.bin")
    var source = Noise(seed: 9)
    try Data(source.bytes(50_000)).write(to: URL(fileURLWithPath: noise))
    let refused = try Command.run("repair", noise, folder.path("out.m4a"))
    #expect(refused.status == 65 && refused.errors.contains("--like"), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.m4a")))
    #expect(try Command.run("repair", folder.path("nothing.mp4"), folder.path("out.m4a")).status == 66)
    #expect(try Command.run("repair", cut, folder.path("out.wav")).status == 64)
    #expect(try Command.run("repair", cut, folder.path("out.m4a"), "--rate", "1").status == 64)
    let other = try Command.run("repair", cut, folder.path("out.m4a"), "--rate", "16000")
    #expect(other.status == 65 && other.errors.contains("44100"), "\(other.errors)")
  }
}
