public import MediaCore

/// Why sound could not be recorded or played.
public struct AudioIOError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// libpulse is not installed, so no sound server can be reached.
    case noLibrary
    /// No sound server answers; the reason is given.
    case noServer(String)
    /// The sound server went away.
    case serverLost
    /// The device went away: unplugged, unloaded, or taken from us.
    case deviceLost
    /// There is no such device.
    case noDevice
    /// There is such a device, but it does not do what was asked of it: which way its sound goes is given.
    case wrongDirection(AudioDevice.Direction)
    /// The server refused; its message is given.
    case refused(String)
    /// The device does not support this format; its own is given.
    case formatNotSupported(AudioFormat, device: AudioFormat)
    /// No device has such a rate or that many channels.
    case formatOutOfRange(AudioFormat)
    /// A buffer's format differs from the one that the device was opened with.
    case formatChanged(AudioFormat, to: AudioFormat)
    /// It was started twice, or used after it was stopped or finished.
    case wrongState
    /// It was not started yet.
    case notStarted
    /// The task that waited was cancelled.
    case cancelled
    /// The file of a virtual device could not be read or written; the reason is given, and what kind it is of.
    case file(String, kind: MediaErrorKind = .readOrWriteFailed)
  }

  /// What went wrong.
  public let code: Code
  /// The device as it was requested; empty for none in particular.
  public let device: String

  /// An error from its parts.
  public init(_ code: Code, device: String = "") {
    self.code = code
    self.device = device
  }
}

extension AudioIOError: MediaError {
  /// The device as it was requested; empty for none in particular.
  public var file: String { device }
  public var location: MediaErrorLocation { MediaErrorLocation() }

  public var kind: MediaErrorKind {
    switch code {
    case .noLibrary, .noServer, .serverLost, .deviceLost, .noDevice, .wrongDirection, .refused: .noDevice
    case .formatNotSupported, .formatOutOfRange, .wrongState, .notStarted: .misuse
    case .formatChanged: .badData
    case .cancelled: .cancelled
    case .file(_, let kind): kind
    }
  }

  public var reason: String {
    switch code {
    case .noLibrary: "libpulse is not installed, and no sound server can be reached without it"
    case .noServer(let words): "no sound server (\(words))"
    case .serverLost: "the sound server went away"
    case .deviceLost: "the device went away"
    case .noDevice: "no such device"
    case .wrongDirection(.playback): "the device plays sound, and cannot record"
    case .wrongDirection(.capture): "the device records sound, and cannot play"
    case .refused(let words): "the sound server refused: \(words)"
    case .formatNotSupported(let asked, let device):
      "\(asked.words) was asked for, but the device has \(device.words)"
    case .formatChanged(let old, let new): "\(new.words) cannot go to a device opened for \(old.words)"
    case .formatOutOfRange(let format):
      "no device can do \(format.words)"
    case .wrongState: "started twice, or used after it was stopped or finished"
    case .notStarted: "not started yet"
    case .cancelled: "cancelled"
    case .file(let words, _): words
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .noLibrary: "install libpulse0"
    case .noServer: "start PulseAudio or PipeWire, or set PULSE_SERVER; tone:440 and null work without one"
    case .noDevice, .wrongDirection: "AudioDevice.all lists the devices"
    case .formatNotSupported: "ask for the device's own format"
    case .notStarted: "start it first"
    case .formatOutOfRange: "rates go from 1 to 768000 Hz, channels from 1 to 64"
    case .serverLost, .deviceLost, .refused, .formatChanged, .wrongState, .cancelled, .file: nil
    }
  }
}

extension AudioIOError {
  /// Why the sound server has no device of a name for a direction.
  ///
  /// - Parameter devices: all that it has.
  init(missing name: String?, for direction: AudioDevice.Direction, among devices: [AudioDevice]) {
    let other = devices.first { $0.id == name && $0.direction != direction }
    self.init(other.map { .wrongDirection($0.direction) } ?? .noDevice, device: name ?? "default")
  }

  /// What went wrong with the file of a virtual device, by whose name the message calls it.
  init(_ error: any MediaError, device: DeviceName) {
    let root = error.root
    let words = [root.location.description, root.reason].filter { !$0.isEmpty }.joined(separator: ": ")
    self.init(.file(words, kind: root.kind), device: device.text)
  }
}

extension AudioFormat {
  /// For messages: `44100 Hz, 2 channels, 16 bit`.
  var words: String { "\(sampleRate) Hz, \(channelText), \(sampleFormat.bitDepth) bit" }
}
