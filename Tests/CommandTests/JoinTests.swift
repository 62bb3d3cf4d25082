import Foundation
import TestSupport
import Testing

/// `lyrebird join`, from outside.
@Suite(.inTurn) struct JoinTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A tone of `frames` frames as an M4A, made without any program but ours.
  private func part(_ name: String, frames: Int) throws -> String {
    let (raw, path) = (folder.path("\(name).raw"), folder.path(name))
    let bytes = (0..<frames).flatMap { frame -> [UInt8] in
      let value = UInt16(bitPattern: Int16(8000 * sin(Double(frame) / 20)))
      return [UInt8(value & 255), UInt8(value >> 8)]
    }
    try Data(bytes).write(to: URL(fileURLWithPath: raw))
    let result = try Tool.run(Command.path, ["encode", raw, path, "--raw", "s16le:44100:1"])
    try #require(result.status == 0, "\(result.errors)")
    return path
  }

  @Test("the last name is the output; an existing file, an input or an unwritable type is refused there")
  func output() throws {
    let (a, b, out) = (try part("a.m4a", frames: 30_001), try part("b.m4a", frames: 20_002), folder.path("out.m4a"))
    let result = try Tool.run(Command.path, ["join", a, b, out, "--json", "--chapters"])
    try #require(result.status == 0, "\(result.errors)")
    let object = try #require(JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(abs((object["duration"] as? Double ?? 0) - 50_003 / 44_100) < 1e-6)
    #expect((object["parts"] as? [[String: Any]])?.compactMap { $0["file"] as? String } == [a, b])
    let info = try Tool.run(Command.path, ["info", out])
    #expect(String(decoding: info.output, as: UTF8.self).contains("0:00.680  b"))
    let before = try Data(contentsOf: URL(fileURLWithPath: b))
    for (words, status, reason) in [
      ([a, out, b], 73, "already exists"), ([a, b, a], 64, "is also the input"), ([a, b], 64, "two parts or more"),
      ([a, b, folder.path("x.mp3")], 64, "does not write .mp3"),
      ([a, folder.path("no.m4a"), out, "--replace"], 66, "no such"),
    ] {
      let result = try Tool.run(Command.path, ["join"] + words)
      #expect(result.status == status && result.errors.contains(reason), "\(words): \(result.errors)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: b)) == before)
    #expect(try Tool.run(Command.path, ["join", a, b, out, "--replace"]).status == 0)
  }

  @Test("what cannot be followed is refused with what to do")
  func unlike() throws {
    let a = try part("a.m4a", frames: 30_001)
    let b = folder.path("b.m4a")
    let encoded = try Tool.run(
      Command.path, ["encode", folder.path("a.m4a.raw"), b, "--raw", "s16le:22050:1", "--codec", "alac"])
    try #require(encoded.status == 0, "\(encoded.errors)")
    let result = try Tool.run(Command.path, ["join", a, b, folder.path("out.m4a")])
    #expect(result.status == 65 && result.errors.contains("--force"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.m4a")))
  }
}
