internal import CPulse
internal import MediaCore

/// What the loop's thread collects while the server answers.
///
/// `@unchecked Sendable`: touched under the loop's lock only.
private final class Answers: @unchecked Sendable {
  var devices: [AudioDevice] = []
  var defaultSink = ""
  var defaultSource = ""
  var open = 3
  let changed: Signal

  init(changed: Signal) { self.changed = changed }

  func isDefault(_ id: String, _ direction: AudioDevice.Direction) -> Bool {
    id == (direction == .playback ? defaultSink : defaultSource)
  }

  func add(_ device: lyrebird_pulse_device, _ direction: AudioDevice.Direction) {
    guard let id = unsafe text(device.name) else { return }
    unsafe devices.append(
      AudioDevice(
        id: id, name: text(device.description) ?? id, direction: direction,
        isDefault: isDefault(id, direction), isMonitor: direction == .capture && device.monitor != .max,
        format: AudioFormat(device.spec, device.map)))
  }

  func close() {
    open -= 1
    changed.give()
  }

  static func from(_ user: UnsafeMutableRawPointer?) -> Answers? {
    unsafe user.map { unsafe Unmanaged<Answers>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension PulseConnection {
  /// All sources, then all sinks.
  ///
  /// - Throws: `AudioIOError` `.refused`, `.serverLost`.
  func devices() throws(AudioIOError) -> [AudioDevice] {
    let answers = Answers(changed: changed)
    let user = unsafe Unmanaged.passUnretained(answers).toOpaque()
    // The server answers in the order of the requests: the defaults are known when the devices come.
    let operations = unsafe locked {
      unsafe [
        pulse_context_get_server_info(context, serverFound, user),
        pulse_context_get_source_info_list(context, sourceFound, user),
        pulse_context_get_sink_info_list(context, sinkFound, user),
      ]
    }
    let isComplete = wait { answers.open == 0 || !isGood }
    // Cancels the operations, so that no answer reaches an object that is gone.
    return try unsafe finished(answers, operations, isComplete: isComplete)
  }

  private func finished(_ answers: Answers, _ operations: [OpaquePointer?], isComplete: Bool) throws(AudioIOError)
    -> [AudioDevice]
  {
    let devices = locked { () -> [AudioDevice]? in
      unsafe operations.compactMap { unsafe $0 }.forEach { operation in
        unsafe pulse_operation_cancel(operation)
        unsafe pulse_operation_unref(operation)
      }
      return isGood && answers.open == 0 ? answers.devices : nil
    }
    guard let devices else { throw AudioIOError(isComplete ? .serverLost : .refused("no answer")) }
    return devices
  }
}

// Callbacks of libpulse, on the loop's thread: what they are given is valid until they return, and `user` until the
// operations are cancelled.

private func text(_ words: UnsafePointer<CChar>?) -> String? {
  unsafe words.map { unsafe String(cString: $0) }
}

private func found(
  _ device: UnsafePointer<lyrebird_pulse_device>?, _ end: Int32, _ user: UnsafeMutableRawPointer?,
  _ direction: AudioDevice.Direction
) {
  guard let answers = unsafe Answers.from(user) else { return }
  if let device = unsafe device, end == 0 { unsafe answers.add(device.pointee, direction) } else { answers.close() }
}

private let sourceFound: lyrebird_pulse_device_list = { unsafe found($1, $2, $3, .capture) }

private let sinkFound: lyrebird_pulse_device_list = { unsafe found($1, $2, $3, .playback) }

private let serverFound: lyrebird_pulse_server_found = { _, server, user in
  guard let answers = unsafe Answers.from(user) else { return }
  if let server = unsafe server?.pointee {
    answers.defaultSink = unsafe text(server.default_sink_name) ?? ""
    answers.defaultSource = unsafe text(server.default_source_name) ?? ""
  }
  answers.close()
}
