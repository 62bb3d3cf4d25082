public import Foundation

/// Where tests find what does not belong in the repository: the corpus of real files and the programs to compare with.
///
/// A test that needs one of them is enabled by `Shared.isAvailable` or `Tool.ffmpeg.isAvailable`. With
/// `LYREBIRD_REQUIRE_TOOLS=1`, as in continuous integration, everything counts as available: what is missing then
/// makes a test fail instead of skipping it.
public enum Shared {
  /// Whether missing tools are failures.
  public static let isEverythingRequired = ProcessInfo.processInfo.environment["LYREBIRD_REQUIRE_TOOLS"] == "1"

  /// The folder that holds `corpus`, `aac` and `tools`: `LYREBIRD_SHARED`, or `../shared` beside the package.
  public static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["LYREBIRD_SHARED"] { return URL(fileURLWithPath: path) }
    return packageFolder.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  /// The folder of this package.
  public static let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The corpus of real files.
  public static var corpus: URL { folder.appendingPathComponent("corpus") }

  /// Whether the corpus can be used.
  public static let isAvailable =
    isEverythingRequired || FileManager.default.fileExists(atPath: corpus.appendingPathComponent("manifest.tsv").path)

  /// What to say of a test that is skipped for lack of the corpus.
  public static let missing = "the corpus is not at \(corpus.path); set LYREBIRD_SHARED"

  /// A row of the corpus manifest.
  public struct CorpusFile: Sendable, CustomStringConvertible {
    public let path: String
    /// Its SHA-256, by which the oracle names it.
    public let sum: String
    public let expectation: String
    public let codecs: String
    public let features: String
    public var url: URL { Shared.corpus.appendingPathComponent(path) }
    public var description: String { path }
  }

  /// The files of the corpus, in the manifest's order.
  public static func corpusFiles() throws -> [CorpusFile] {
    let manifest = try String(contentsOf: corpus.appendingPathComponent("manifest.tsv"), encoding: .utf8)
    return manifest.split(separator: "\n").dropFirst().map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return CorpusFile(
        path: columns[0], sum: columns[1], expectation: columns[3], codecs: columns[5], features: columns[9])
    }
  }
}

/// A program that tests compare with.
public struct Tool: Sendable {
  public let name: String

  /// A program by its name.
  public init(name: String) { self.name = name }

  public static let ffmpeg = Tool(name: "ffmpeg")
  public static let ffprobe = Tool(name: "ffprobe")
  public static let faad = Tool(name: "faad")
  public static let sox = Tool(name: "sox")
  public static let fdkaac = Tool(name: "fdkaac")
  public static let python = Tool(name: "python3")

  /// Where the program is.
  public var path: String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Whether tests that need the program are to run.
  public var isAvailable: Bool { Shared.isEverythingRequired || path != nil }

  /// What to say of a test that is skipped for lack of the program.
  public var missing: String { "\(name) is not installed" }

  /// Runs the program and waits, ten minutes at most.
  ///
  /// - Returns: exit status, or 128 and the signal that ended it; standard output; standard error.
  public func run(_ arguments: [String]) throws -> (status: Int32, output: Data, errors: String) {
    guard let path else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name]) }
    return try Tool.run(path, arguments)
  }

  /// Runs the program at a path and waits, ten minutes at most.
  public static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: Data, errors: String)
  {
    let process = try BackgroundProcess(path, arguments)
    return (process.wait(seconds: 600), process.outputBytes, process.errors)
  }
}

/// A folder that is removed with its content when nobody needs it any more.
public final class TemporaryFolder: Sendable {
  public let url: URL

  public init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("lyrebird-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of a file in the folder.
  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Makes a pipe with a name and opens it: for reading and writing, so that opening does not wait for the other side.
  ///
  /// - Returns: its descriptor, which the caller closes.
  public func openPipe(_ name: String, _ flags: Int32 = 0) throws -> Int32 {
    let isMade = unsafe mkfifo(path(name), 0o600) == 0
    let pipe = unsafe isMade ? open(path(name), O_RDWR | O_CLOEXEC | flags) : -1
    guard pipe >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return pipe
  }
}
