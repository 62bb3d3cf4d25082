internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Tells what the demo does, step by step.
final class DemoReport {
  private let output = Output()

  func title(_ text: String) throws {
    try output.line("\n  " + Terminal.bold(text) + "\n")
  }

  func step(_ name: String, _ text: String) throws {
    try output.line("  " + Terminal.bold(name) + String(repeating: " ", count: max(1, 9 - name.count)) + text)
  }

  func detail(_ text: String) throws {
    try output.line("           " + Terminal.dim(text))
  }

  /// Says that something is as it must be.
  ///
  /// - Throws: `Failure` if it is not.
  func check(_ isTrue: Bool, _ text: String) throws {
    try output.line("           " + (isTrue ? Terminal.green("✓ ") : Terminal.red("✗ ")) + text)
    guard isTrue else {
      try output.flush()
      throw Failure(status: .badData, "demo: not so: \(text)")
    }
  }

  func end(folder: String, seconds: Double) throws {
    let folder = Text.printable(folder)
    try output.line("\n  All good, in \(Text.decimals(seconds, 2)) s. The files are in \(folder); look into them with")
    for line in [
      "info \(folder)/demo.mp4", "packets \(folder)/demo.aac", "boxes \(folder)/demo.mp4", "play \(folder)/song.m4a",
    ] {
      try output.line("    lyrebird " + line)
    }
    try output.line()
    try output.flush()
  }
}

/// Where the demo's files go.
enum DemoFolder {
  /// A folder for temporary files.
  static var standard: String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return (parent.hasSuffix("/") ? String(parent.dropLast()) : parent) + "/lyrebird-demo"
  }

  /// Makes the folder, unless it is there.
  static func make(_ path: String) throws(Failure) {
    guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
    throw Failure(status: .cannotCreate, "\(path): cannot make this folder: \(systemMessage(errno))")
  }
}
