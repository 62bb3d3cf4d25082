import Foundation
import TestSupport
import Testing

private let strace = Tool(name: "strace")

/// Recordings whose process dies while the file is being finished: at a system call that `strace` chooses, so that
/// every step is met.
@Suite(
  .alone,
  .serialized,
  .needs(Need("strace", strace.missing) { strace.isAvailable }, .ffmpeg))
struct KilledRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func frames(_ path: String) throws -> Int {
    let result = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-"])
    #expect(result.errors.isEmpty, "\(path): \(result.errors)")
    return result.output.count / 2
  }

  /// Records 0.6 s over an older file, killed at the n-th call of a kind.
  ///
  /// - Returns: the names of what is there then.
  private func record(_ name: String, killedAt call: String, _ number: Int) throws -> Set<String> {
    let inner = folder.path("\(name).\(call).\(number)")
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    try Data("old".utf8).write(to: URL(fileURLWithPath: inner + "/" + name))
    _ = try strace.run([
      "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(number)",
      Command.path, "record", inner + "/" + name, "--device", "tone:440", "--duration", "0.6",
    ])
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: inner))
    let working = name.replacingOccurrences(of: ".", with: ".recording.")
    let old = try? Data(contentsOf: URL(fileURLWithPath: inner + "/" + name))
    if old == Data("old".utf8) {
      #expect(names == [name, working], "killed at \(call) \(number)")
      // Half a second at least: more is written at its end only.
      #expect(try frames(inner + "/" + working) >= 22_050, "killed at \(call) \(number)")
    } else {
      #expect(names == [name], "killed at \(call) \(number)")
      #expect(try frames(inner + "/" + name) >= 26_460, "killed at \(call) \(number)")
    }
    return names
  }

  @Test(
    "a recording that is killed at any step of being finished plays, under one of its names", arguments: ["m4a", "wav"])
  func everyStep(ending: String) throws {
    var seen: Set<Set<String>> = []
    let steps =
      ending == "m4a"
      ? ["pwrite64": 3, "rename,renameat,renameat2": 1, "fsync": 4] : ["rename,renameat,renameat2": 1, "fsync": 4]
    for (call, count) in steps.sorted(by: { $0.key < $1.key }) {
      // The first sync is that of the folder, when the recording begins.
      for number in (call == "fsync" ? 2 : 1)...count { seen.insert(try record("a." + ending, killedAt: call, number)) }
    }
    // A call that never comes: the new file is there, or nothing here would have looked at one.
    seen.insert(try record("a." + ending, killedAt: "fsync", 100))
    #expect(seen == [["a." + ending], ["a." + ending, "a.recording." + ending]])
  }
}
