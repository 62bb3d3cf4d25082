internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Reports what the demo does, step by step, or all at once as JSON.
final class DemoReport {
  private let output = Output()
  private let isJSON: Bool
  private var steps: [Step] = []

  private struct Step {
    let name: String
    let text: String
    var checks: [String] = []
  }

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  func title(_ text: String) throws {
    try line("\n  " + Terminal.bold(text) + "\n")
  }

  func step(_ name: String, _ text: String) throws {
    steps.append(Step(name: name, text: text))
    try line("  " + Terminal.bold(name) + String(repeating: " ", count: max(1, 9 - name.count)) + text)
  }

  func detail(_ text: String) throws {
    try line("           " + Terminal.dim(text))
  }

  /// Reports that something is as it must be.
  ///
  /// - Throws: `Failure` if it is not.
  func check(_ isTrue: Bool, _ text: String) throws {
    try line("           " + (isTrue ? Terminal.green("✓ ") : Terminal.red("✗ ")) + text)
    guard isTrue else { throw Failure(status: .badData, "demo: failed: \(text)") }
    if !steps.isEmpty { steps[steps.count - 1].checks.append(text) }
  }

  func end(folder: String, seconds: Double) throws {
    if isJSON { return try printJSON(folder: folder, seconds: seconds) }
    try line(
      "\n  All good, in \(Text.decimals(seconds, 2)) s. The files are in \(Text.printable(folder)). To look into them:")
    let folder = Text.printable(Text.shellWord(folder))
    for words in [
      "info \(folder)/demo.mp4", "packets \(folder)/demo.aac", "boxes \(folder)/demo.mp4", "play \(folder)/song.m4a",
    ] {
      try line("    lyrebird " + words)
    }
    try line("  To remove them:\n    rm -r \(folder)\n")
  }

  /// Each line is shown immediately, as the demo takes seconds.
  private func line(_ text: String) throws {
    if isJSON { return }
    try output.line(text)
    try output.flush()
  }

  private func printJSON(folder: String, seconds: Double) throws {
    var object = JSONObject()
    object.add("folder", folder)
    object.add("seconds", seconds)
    object.add(
      "steps",
      steps.map { step in
        var item = JSONObject()
        item.add("name", step.name)
        item.add("text", step.text)
        item.add("checks", step.checks)
        return item
      })
    try Output.result(object)
  }
}

/// Where the demo's files go.
enum DemoFolder {
  /// Makes a new temporary folder that only this user can access: one with a predictable name might belong to another
  /// user, with links in it to files that are not the demo's.
  static func makePrivate() throws(Failure) -> String {
    // C strings, read at once; the second is changed in place, and keeps its length.
    var parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    if parent.isEmpty { parent = "/tmp" }
    if parent.hasSuffix("/") { parent.removeLast() }
    let path = parent + "/lyrebird-demo-XXXXXX"
    var name = Array(path.utf8CString)
    guard unsafe mkdtemp(&name) != nil else { throw failure(path) }
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes a folder that the user named, unless it exists and is empty: nothing of the user's is to be replaced, nor
  /// removed together with the demo's files.
  static func make(_ path: String) throws(Failure) {
    guard unsafe mkdir(path, 0o777) != 0 else { return }
    guard errno == EEXIST else { throw failure(path) }
    guard try isEmpty(path) else {
      throw Failure(status: .cannotCreate, "\(path): this folder has files in it; name a new one")
    }
  }

  private static func isEmpty(_ path: String) throws(Failure) -> Bool {
    guard let folder = unsafe opendir(path) else { throw failure(path) }
    defer { unsafe closedir(folder) }
    // Each entry is valid until the next call; a folder always has "." and "..".
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    return count <= 2
  }

  private static func failure(_ path: String) -> Failure {
    Failure(status: .cannotCreate, "\(path): cannot use this folder: \(systemMessage(errno))")
  }
}
