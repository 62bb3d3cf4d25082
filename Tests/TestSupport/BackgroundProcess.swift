public import Foundation

/// A program that goes on while the test does something else, and that can be sent signals.
///
/// No test uses Foundation's `Process`. It learns of a program's end by a socket that the program inherits: one that
/// closes its descriptors, as daemons do, seems to have ended, and one whose socket another program has inherited seems
/// to go on. What tests open has `O_CLOEXEC`, so that no program inherits it.
public final class BackgroundProcess: Sendable {
  /// Its number.
  public let id: pid_t
  private let state = Status()
  private let folder: TemporaryFolder

  private final class Status: @unchecked Sendable {
    private let lock = NSLock()
    private var ended: Int32?

    /// Looks whether the process has ended; exit status, or 128 and the signal, as shells count.
    func poll(_ id: pid_t, options: Int32) -> Int32? {
      lock.withLock {
        if let ended { return ended }
        var status: Int32 = 0
        guard unsafe waitpid(id, &status, options) == id else { return nil }
        ended = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        return ended
      }
    }
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the program.
  ///   - arguments: without the program's name.
  ///   - output: where its standard output goes; `nil` for `outputBytes`.
  ///   - environment: all of it; `nil` for the test's own.
  ///   - terminal: what it reads from and writes to; `nil` for files, and nothing to read.
  public init(
    _ path: String, _ arguments: [String], output: String? = nil, environment: [String: String]? = nil,
    terminal: PseudoTerminal? = nil
  ) throws {
    folder = try TemporaryFolder()
    let environment = environment ?? ProcessInfo.processInfo.environment
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // Files rather than pipes: a full pipe that nobody empties would block the program for ever.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal?.path ?? "/dev/null", O_RDWR, 0)
    unsafe posix_spawn_file_actions_addopen(
      &actions, 1, output ?? terminal?.path ?? folder.path("output"), O_WRONLY | O_CREAT, 0o600)
    unsafe posix_spawn_file_actions_addopen(
      &actions, 2, terminal?.path ?? folder.path("errors"), O_RDWR | O_CREAT, 0o600)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The first terminal that the leader of a new session opens is its own: Ctrl-C there becomes a signal.
    if terminal != nil { unsafe posix_spawnattr_setflags(&attributes, BackgroundProcess.newSession) }
    var id = pid_t()
    let status = unsafe posix_spawn(&id, path, &actions, &attributes, &words, &variables)
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    self.id = id
  }

  /// `POSIX_SPAWN_SETSID`, which is not imported.
  private static let newSession: Int16 = 0x80

  deinit { end() }

  /// What it has written to standard error so far.
  public var errors: String { text("errors") }
  /// What it has written to standard output so far, as bytes.
  public var outputBytes: Data { FileManager.default.contents(atPath: folder.path("output")) ?? Data() }
  /// What it has written to standard output so far.
  public var output: String { text("output") }

  private func text(_ name: String) -> String {
    String(decoding: FileManager.default.contents(atPath: folder.path(name)) ?? Data(), as: UTF8.self)
  }

  /// Whether it has not ended yet.
  public var isRunning: Bool { state.poll(id, options: WNOHANG) == nil }

  /// Paths of the files that it has open.
  public var openFiles: [String] {
    let folder = "/proc/\(id)/fd"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
  }

  /// Waits until its main thread has been asleep for a fifth of a second, as one is that waits for another process.
  ///
  /// - Returns: whether it came to that within ten seconds.
  public func waitUntilAsleep() -> Bool {
    var asleep = 0
    return waitUntil {
      // The state stands after the name in parentheses: proc_pid_stat(5).
      let status = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
      asleep = status.split(separator: ")").last?.hasPrefix(" S") == true ? asleep + 1 : 0
      usleep(10_000)
      return asleep >= 20
    }
  }

  /// Sends a signal.
  public func send(_ signal: Int32) { if isRunning { kill(id, signal) } }

  /// Ends it as a crash would, and waits until it is gone.
  public func end() {
    send(SIGKILL)
    _ = state.poll(id, options: 0)
  }

  /// Waits until it has ended; kills it after so many seconds.
  ///
  /// - Returns: its exit status, or 128 and the signal that ended it.
  public func wait(seconds: Double = 30) -> Int32 {
    let deadline = Date().addingTimeInterval(seconds)
    var pause: UInt32 = 100
    while Date() < deadline {
      if let status = state.poll(id, options: WNOHANG) { return status }
      usleep(pause)
      pause = min(2 * pause, 5000)
    }
    end()
    return state.poll(id, options: 0) ?? -1
  }
}

/// Waits for something that another thread or process is about to do, so many seconds at most.
///
/// - Returns: whether it came to be.
@discardableResult
public func waitUntil(seconds: Double = 10, _ holds: () -> Bool) -> Bool {
  let deadline = Date().addingTimeInterval(seconds)
  while !holds() {
    if Date() > deadline { return false }
    usleep(200)
  }
  return true
}
