internal import Foundation

/// A sound server of a test's own, with sinks that play to nobody, whose monitors are its microphones.
public final class PulseServer: Sendable {
  /// What clients connect to.
  public let address: String
  private let folder: TemporaryFolder
  private let process: BackgroundProcess

  public static let daemon = Tool(name: "pulseaudio")
  public static let control = Tool(name: "pactl")

  /// Whether tests that need a server are to run.
  public static var isAvailable: Bool { daemon.isAvailable && control.isAvailable }
  /// What to say of a test that is skipped for lack of one.
  public static var missing: String { "pulseaudio and pactl are not installed" }

  /// Starts a server with a sink called `lyre`, 48 kHz, stereo, 16 bit.
  public init() throws {
    guard let path = PulseServer.daemon.path else { throw CocoaError(.fileNoSuchFile) }
    folder = try TemporaryFolder()
    let socket = folder.path("socket")
    address = "unix:" + socket
    process = try BackgroundProcess(
      path,
      [
        "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no", "--high-priority=no",
        "-L", "module-native-protocol-unix auth-anonymous=1 socket=" + socket,
        // One that plans ahead only 50 ms; the usual sink is seconds ahead when it was idle, and takes as long to wake.
        "-L", "module-null-sink norewinds=1 sink_name=lyre rate=48000 channels=2 format=s16le",
      ],
      // Nothing of the session that the tests run in, nor of another such server.
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.url.path,
        "XDG_RUNTIME_DIR": folder.url.path, "PULSE_RUNTIME_PATH": folder.url.path,
        "PULSE_STATE_PATH": folder.url.path,
      ])
    for _ in 0..<200 where !FileManager.default.fileExists(atPath: socket) { usleep(25_000) }
  }

  /// Ends the server as a crash would.
  public func kill() { process.end() }

  /// Tells the server something, in the words of `pactl`.
  @discardableResult
  public func tell(_ words: String...) throws -> String {
    let result = try PulseServer.control.run(["-s", address] + words)
    guard result.status == 0 else { throw CocoaError(.featureUnsupported, userInfo: ["words": result.errors]) }
    return String(decoding: result.output, as: UTF8.self)
  }

  /// Adds a sink; its monitor is called `NAME.monitor`.
  ///
  /// - Returns: the number to unload it by.
  public func addSink(_ name: String, rate: Int = 48_000) throws -> String {
    try tell("load-module", "module-null-sink", "sink_name=\(name)", "rate=\(rate)", "channels=2", "format=s16le")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
