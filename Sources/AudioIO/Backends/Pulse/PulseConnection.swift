internal import CPulse
internal import MediaCore
internal import Synchronization

/// A connection to the sound server: libpulse's threaded main loop, and a context in it.
///
/// The loop is a thread that libpulse runs. Other threads hold the loop's lock while they call into libpulse; callbacks
/// run on the loop's thread, which holds the lock meanwhile. Nothing here waits with the lock held: a server that does
/// not answer costs a few seconds and an error, never a hang.
///
/// `@unchecked Sendable`: libpulse's objects are only touched under the loop's lock, or when there is no loop any more.
/// Safe: they exist as long as this object, and what the callback talks to as well.
@safe
final class PulseConnection: @unchecked Sendable {
  /// How long a server may take to answer.
  static let patience = Duration.seconds(3)

  /// What the server's mixer calls us: the name of the program that uses this library.
  private static let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "lyrebird"

  private let loop: OpaquePointer
  let context: OpaquePointer
  private let watch = Watch()
  private let isClosed = Atomic<Bool>(false)

  /// What the state callback talks to; lives as long as the connection.
  final class Watch: Sendable {
    let changed = Signal()
    /// Called when the connection breaks.
    let onLoss = Lock<(@Sendable () -> Void)?>(nil)
  }

  /// - Throws: `AudioIOError`: `.noLibrary`, `.noServer`.
  init(server: String?) throws(AudioIOError) {
    guard lyrebird_pulse_load() == 0 else { throw AudioIOError(.noLibrary) }
    guard let loop = unsafe pulse_threaded_mainloop_new() else { throw AudioIOError(.noServer("out of memory")) }
    let api = unsafe pulse_threaded_mainloop_get_api(loop)
    guard let context = unsafe pulse_context_new(api, PulseConnection.program) else {
      unsafe pulse_threaded_mainloop_free(loop)
      throw AudioIOError(.noServer("out of memory"))
    }
    unsafe self.loop = loop
    unsafe self.context = context
    unsafe pulse_context_set_state_callback(context, contextChanged, Unmanaged.passUnretained(watch).toOpaque())
    let flags = Int32(LYREBIRD_PULSE_CONTEXT_NOAUTOSPAWN)
    guard unsafe pulse_context_connect(context, server, flags, nil) >= 0,
      unsafe pulse_threaded_mainloop_start(loop) >= 0
    else {
      throw closing()
    }
    let isReady = wait { state != nil }
    guard isReady, locked({ state }) == true else { throw closing() }
  }

  deinit {
    close()
    unsafe pulse_context_unref(context)
    unsafe pulse_threaded_mainloop_free(loop)
  }

  /// Closes a connection that failed, and returns its error.
  private func closing() -> AudioIOError {
    let number = locked { lastError }
    let words = number == 0 ? "no answer" : PulseConnection.words(number)
    close()
    return AudioIOError(.noServer(words))
  }

  /// Whether the context is ready, or has failed or ended; `nil` while it is neither.
  private var state: Bool? {
    switch Int(unsafe pulse_context_get_state(context)) {
    case LYREBIRD_PULSE_CONTEXT_READY: true
    case LYREBIRD_PULSE_CONTEXT_FAILED, LYREBIRD_PULSE_CONTEXT_TERMINATED: false
    default: nil
    }
  }

  var isGood: Bool { state == true }

  /// Sets what is called when the connection breaks, on the loop's thread.
  func onLoss(_ body: @escaping @Sendable () -> Void) { watch.onLoss.withLock { $0 = body } }

  /// Runs `body` with the loop's lock held. Not for callbacks, which hold it already.
  func locked<Result>(_ body: () -> Result) -> Result {
    unsafe pulse_threaded_mainloop_lock(loop)
    defer { unsafe pulse_threaded_mainloop_unlock(loop) }
    return body()
  }

  /// Waits for a condition, which is checked under the lock whenever something changes.
  ///
  /// - Returns: whether it held in time.
  func wait(until holds: () -> Bool) -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + PulseConnection.patience
    while true {
      if locked(holds) { return true }
      let left = clock.now.duration(to: deadline)
      guard left > .zero else { return false }
      _ = watch.changed.take(within: left)
    }
  }

  /// Wakes waiting threads to check again. Callbacks call this.
  func noteChange() { watch.changed.give() }

  var changed: Signal { watch.changed }

  /// Ends the connection and its thread. Once it returns no callback is running, nor will one come. Not to be called
  /// from a callback. Closing again does nothing.
  func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    watch.onLoss.withLock { $0 = nil }
    locked {
      unsafe pulse_context_set_state_callback(context, nil, nil)
      unsafe pulse_context_disconnect(context)
    }
    unsafe pulse_threaded_mainloop_stop(loop)
  }

  static func words(_ number: Int32) -> String {
    unsafe pulse_strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  /// The code of the server's last error.
  var lastError: Int32 { unsafe pulse_context_errno(context) }

  /// The server's last error in the user's language: to be shown, not to be compared.
  var lastWords: String { PulseConnection.words(lastError) }
}

private func contextChanged(_ context: OpaquePointer?, _ user: UnsafeMutableRawPointer?) {
  guard let context = unsafe context, let user = unsafe user else { return }
  let watch = unsafe Unmanaged<PulseConnection.Watch>.fromOpaque(user).takeUnretainedValue()
  let state = Int(unsafe pulse_context_get_state(context))
  if state == LYREBIRD_PULSE_CONTEXT_FAILED || state == LYREBIRD_PULSE_CONTEXT_TERMINATED {
    watch.onLoss.withLock { $0 }?()
  }
  watch.changed.give()
}
