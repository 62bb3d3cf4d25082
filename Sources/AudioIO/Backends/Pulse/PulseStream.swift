internal import CPulse
internal import MediaCore

/// A stream of sound to or from the server, from its connection to its end: what capture and playback have in common.
///
/// `@unchecked Sendable`: libpulse's objects are only touched under the loop's lock, or when there is no loop any more.
/// Safe: the stream exists as long as this object, and what the callback talks to as well.
@safe
final class PulseStream: @unchecked Sendable {
  let connection: PulseConnection
  private let stream: OpaquePointer
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
    let made = unsafe connection.locked { () -> OpaquePointer? in
      var spec = lyrebird_pulse_spec(format)
      // libpulse copies all that it is given here.
      let list = unsafe pulse_proplist_new()
      defer { unsafe pulse_proplist_free(list) }
      for (key, value) in properties { unsafe pulse_proplist_sets(list, key, value) }
      guard var map = lyrebird_pulse_map(format.layout) else {
        return unsafe pulse_stream_new_with_proplist(connection.context, name, &spec, nil, list)
      }
      return unsafe pulse_stream_new_with_proplist(connection.context, name, &spec, &map, list)
    }
    guard let made = unsafe made else { throw AudioIOError(.refused(connection.locked { connection.lastWords })) }
    unsafe stream = made
    connection.onLoss { onEnd(.serverLost) }
  }

  deinit {
    close()
    unsafe pulse_stream_unref(stream)
  }

  /// Connects, and waits until the server has agreed.
  ///
  /// - Parameter body: asks libpulse to connect the stream; negative where it refuses.
  func connect(
    device: String?, for direction: AudioDevice.Direction, _ body: (borrowing LockedStream) -> Int32
  ) throws(AudioIOError) {
    let status = connection.locked {
      unsafe pulse_stream_set_state_callback(
        stream, PulseStream.streamChanged, Unmanaged.passUnretained(watch).toOpaque())
      return unsafe body(LockedStream(stream))
    }
    let ready = LYREBIRD_PULSE_STREAM_READY
    let isDecided = connection.wait { status < 0 || state >= ready }
    let (isReady, number) = connection.locked { (status >= 0 && state == ready, connection.lastError) }
    guard !isReady else { return }
    let isMissing = Int(number) == LYREBIRD_PULSE_ERROR_NO_ENTITY
    let devices = isMissing ? (try? connection.devices()) ?? [] : []
    close()
    if isMissing { throw AudioIOError(missing: device, for: direction, among: devices) }
    throw AudioIOError(.refused(isDecided ? PulseConnection.words(number) : "no answer"), device: device ?? "default")
  }

  private var state: Int { unsafe LockedStream(stream).state }

  private static let streamChanged: lyrebird_pulse_stream_notify = { stream, user in
    guard let stream = unsafe stream, let user = unsafe user else { return }
    let watch = unsafe Unmanaged<Watch>.fromOpaque(user).takeUnretainedValue()
    let state = unsafe LockedStream(stream).state
    if state == LYREBIRD_PULSE_STREAM_FAILED || state == LYREBIRD_PULSE_STREAM_TERMINATED {
      // If the server goes away, streams end with the context; otherwise a stream ends with its device.
      watch.onEnd(watch.connection.isGood ? .deviceLost : .serverLost)
    }
    watch.connection.noteChange()
  }

  /// Uses the stream under the lock; `nil` once it is closed.
  func use<Result: Sendable>(_ body: (borrowing LockedStream) -> Result) -> Result? {
    isClosed.withLock { isClosed in
      isClosed ? nil : connection.locked { unsafe body(LockedStream(stream)) }
    }
  }

  /// Ends the stream and its connection. Once it returns no callback is running, nor will one come.
  func close() {
    isClosed.withLock { isClosed in
      guard !isClosed else { return }
      isClosed = true
      connection.locked {
        unsafe pulse_stream_set_state_callback(stream, nil, nil)
        unsafe pulse_stream_set_read_callback(stream, nil, nil)
        unsafe pulse_stream_set_write_callback(stream, nil, nil)
        unsafe pulse_stream_disconnect(stream)
      }
      connection.close()
    }
  }
}
