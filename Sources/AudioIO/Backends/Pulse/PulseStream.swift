internal import CPulse
internal import MediaCore

/// A stream of sound to or from the server, from its connection to its end: what capture and playback have in common.
///
/// `@unchecked Sendable`: libpulse's objects are only touched under the loop's lock, and gone after `close()`.
final class PulseStream: @unchecked Sendable {
  let connection: PulseConnection
  private(set) var stream: OpaquePointer
  private let watch: Watch
  private let isClosed = Lock(false)

  /// What the state callback talks to.
  ///
  /// `@unchecked Sendable`: immutable except for the state of the connection, which is read under the loop's lock.
  private final class Watch: @unchecked Sendable {
    let connection: PulseConnection
    let onEnd: @Sendable (DeviceEnd) -> Void

    init(_ connection: PulseConnection, _ onEnd: @escaping @Sendable (DeviceEnd) -> Void) {
      self.connection = connection
      self.onEnd = onEnd
    }
  }

  /// A stream that is not connected yet.
  ///
  /// - Parameters:
  ///   - properties: what the server is told about it.
  ///   - onEnd: called, on the loop's thread, when the stream or the server goes away.
  init(
    _ connection: PulseConnection, name: String, format: AudioFormat, properties: [String: String] = [:],
    onEnd: @escaping @Sendable (DeviceEnd) -> Void
  ) throws(AudioIOError) {
    self.connection = connection
    watch = Watch(connection, onEnd)
    let made = connection.locked { () -> OpaquePointer? in
      var spec = lyrebird_pulse_spec(format)
      let list = pulse_proplist_new()
      defer { pulse_proplist_free(list) }
      for (key, value) in properties { pulse_proplist_sets(list, key, value) }
      guard var map = lyrebird_pulse_map(format.layout) else {
        return pulse_stream_new_with_proplist(connection.context, name, &spec, nil, list)
      }
      return pulse_stream_new_with_proplist(connection.context, name, &spec, &map, list)
    }
    guard let made else { throw AudioIOError(.refused(connection.locked { connection.lastWords })) }
    stream = made
    connection.onLoss { onEnd(.serverLost) }
  }

  deinit { close() }

  /// Connects, and waits until the server has agreed.
  ///
  /// - Parameter body: asks libpulse to connect the stream; negative where it refuses.
  func connect(device: String?, _ body: (OpaquePointer) -> Int32) throws(AudioIOError) {
    let status = connection.locked {
      pulse_stream_set_state_callback(stream, streamChanged, Unmanaged.passUnretained(watch).toOpaque())
      return body(stream)
    }
    let ready = LYREBIRD_PULSE_STREAM_READY
    let isDecided = connection.wait { _ in status < 0 || state >= ready }
    let (isReady, number) = connection.locked { (status >= 0 && state == ready, connection.lastError) }
    guard !isReady else { return }
    close()
    if Int(number) == LYREBIRD_PULSE_ERROR_NO_ENTITY { throw AudioIOError(.noDevice, device: device ?? "default") }
    throw AudioIOError(.refused(isDecided ? PulseConnection.words(number) : "no answer"), device: device ?? "default")
  }

  private var state: Int { Int(pulse_stream_get_state(stream)) }

  private let streamChanged: lyrebird_pulse_stream_notify = { stream, user in
    guard let stream, let user else { return }
    let watch = Unmanaged<Watch>.fromOpaque(user).takeUnretainedValue()
    let state = Int(pulse_stream_get_state(stream))
    if state == LYREBIRD_PULSE_STREAM_FAILED || state == LYREBIRD_PULSE_STREAM_TERMINATED {
      // If the server goes away, streams end with the context; otherwise a stream ends with its device.
      watch.onEnd(watch.connection.isGood ? .deviceLost : .serverLost)
    }
    watch.connection.noteChange()
  }

  /// Uses the stream under the lock; `nil` once it is closed.
  func use<Result: Sendable>(_ body: (OpaquePointer) -> Result) -> Result? {
    isClosed.withLock { isClosed in
      isClosed ? nil : connection.locked { body(stream) }
    }
  }

  /// Ends the stream and its connection. Once it returns no callback is running, nor will one come.
  func close() {
    isClosed.withLock { isClosed in
      guard !isClosed else { return }
      isClosed = true
      connection.locked {
        pulse_stream_set_state_callback(stream, nil, nil)
        pulse_stream_set_read_callback(stream, nil, nil)
        pulse_stream_set_write_callback(stream, nil, nil)
        pulse_stream_disconnect(stream)
        pulse_stream_unref(stream)
      }
      connection.close()
    }
  }
}
