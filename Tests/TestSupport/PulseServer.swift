internal import Foundation
public import MediaCore

/// A sound server of a test's own, with sinks that play to nobody, whose monitors are its microphones.
public final class PulseServer: Sendable {
  /// Whose server it is.
  public enum Kind: String, Sendable {
    case pulseAudio = "pulseaudio"
    case pipeWire = "pipewire"

    /// What `LYREBIRD_SOUND_SERVER` asks for; PulseAudio otherwise.
    public static let chosen: Kind = {
      guard let word = ProcessInfo.processInfo.environment["LYREBIRD_SOUND_SERVER"] else { return .pulseAudio }
      guard let kind = Kind(rawValue: word) else { fatalError("LYREBIRD_SOUND_SERVER is pulseaudio or pipewire") }
      return kind
    }()

    /// What it is made of. PipeWire moves sound, WirePlumber says from where to where, and another program speaks
    /// PulseAudio's protocol; they find each other through a message bus.
    private var tools: [Tool] {
      let names =
        switch self {
        case .pulseAudio: ["pulseaudio", "pactl"]
        case .pipeWire: ["dbus-daemon", "pipewire", "wireplumber", "pipewire-pulse", "pactl"]
        }
      return names.map(Tool.init)
    }

    /// What its sinks work in, whatever they are asked for.
    public var sampleFormat: AudioFormat.SampleFormat { self == .pipeWire ? .float32 : .int16 }

    /// Whether tests that need such a server are to run.
    public var isAvailable: Bool { tools.allSatisfy(\.isAvailable) }

    fileprivate func path(_ name: String) throws -> String {
      guard let path = Tool(name: name).path else {
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
      }
      return path
    }
  }

  /// Whose server it is.
  public let kind: Kind
  /// What clients connect to.
  public let address: String
  private let folder: TemporaryFolder
  /// What clients talk to, and behind it what that needs.
  private let processes: [BackgroundProcess]

  /// Whether tests that need a server are to run.
  public static var isAvailable: Bool { Kind.chosen.isAvailable }
  /// What to say of a test that is skipped for lack of one.
  public static var missing: String { "\(Kind.chosen.rawValue), or pactl, is not installed" }

  /// Starts a server with a sink called `lyre`, 48 kHz, stereo; PulseAudio's has 16 bit, PipeWire's floats.
  public init(_ kind: Kind = .chosen) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    switch kind {
    case .pulseAudio: (processes, address) = try PulseServer.pulseAudio(in: folder)
    case .pipeWire: (processes, address) = try PulseServer.pipeWire(in: folder)
    }
    // PulseAudio has the sink from its start, one that plans ahead only 50 ms: the usual one is seconds ahead when it
    // was idle, and takes as long to wake.
    if kind == .pipeWire { _ = try addSink("lyre") }
    guard waitUntil(seconds: 60, { (try? tell("get-default-sink")) == "lyre\n" }) else {
      throw CocoaError(.fileReadUnknown, userInfo: ["server": processes.map(\.errors).joined()])
    }
  }

  /// Nothing of the session that the tests run in, nor of another such server.
  private static func environment(_ folder: TemporaryFolder) -> [String: String] {
    let bus = "unix:path=" + folder.path("bus")
    return [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.url.path,
      "XDG_RUNTIME_DIR": folder.url.path, "PULSE_RUNTIME_PATH": folder.url.path, "PULSE_STATE_PATH": folder.url.path,
      "DBUS_SESSION_BUS_ADDRESS": bus, "DBUS_SYSTEM_BUS_ADDRESS": bus,
    ]
  }

  /// Starts a program and waits until it has made its socket.
  private static func start(
    _ kind: Kind, _ name: String, _ arguments: [String] = [], in folder: TemporaryFolder, socket: String? = nil
  ) throws -> BackgroundProcess {
    let process = try BackgroundProcess(kind.path(name), arguments, environment: environment(folder))
    if let socket { waitUntil(seconds: 30) { FileManager.default.fileExists(atPath: folder.path(socket)) } }
    return process
  }

  private static func pulseAudio(in folder: TemporaryFolder) throws -> ([BackgroundProcess], String) {
    let socket = folder.path("socket")
    let arguments = [
      "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no", "--high-priority=no",
      "-L", "module-native-protocol-unix auth-anonymous=1 socket=" + socket,
      "-L", "module-null-sink norewinds=1 sink_name=lyre rate=48000 channels=2 format=s16le",
    ]
    return ([try start(.pulseAudio, "pulseaudio", arguments, in: folder, socket: "socket")], "unix:" + socket)
  }

  private static func pipeWire(in folder: TemporaryFolder) throws -> ([BackgroundProcess], String) {
    let bus = ["--session", "--nofork", "--nopidfile", "--address=unix:path=" + folder.path("bus")]
    let behind = [
      try start(.pipeWire, "dbus-daemon", bus, in: folder, socket: "bus"),
      try start(.pipeWire, "pipewire", in: folder, socket: "pipewire-0"),
      try start(.pipeWire, "wireplumber", in: folder),
    ]
    let front = try start(.pipeWire, "pipewire-pulse", in: folder, socket: "native")
    return ([front] + behind, "unix:" + folder.path("native"))
  }

  deinit { processes.forEach { $0.end() } }

  /// Ends the server as a crash would.
  public func kill() { processes.first?.end() }

  /// Tells the server something, in the words of `pactl`.
  @discardableResult
  public func tell(_ words: String...) throws -> String {
    let result = try Tool(name: "pactl").run(["-s", address] + words)
    guard result.status == 0 else { throw CocoaError(.featureUnsupported, userInfo: ["words": result.errors]) }
    return String(decoding: result.output, as: UTF8.self)
  }

  /// Adds a sink; its monitor is called `NAME.monitor`.
  ///
  /// - Returns: the number to unload it by.
  public func addSink(_ name: String, rate: Int = 48_000, channels: Int = 2) throws -> String {
    try tell(
      "load-module", "module-null-sink", "sink_name=\(name)", "rate=\(rate)", "channels=\(channels)", "format=s16le"
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
