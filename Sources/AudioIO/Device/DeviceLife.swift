internal import MediaCore

/// The order of starting and stopping a device: started once at most, and never after it was stopped.
///
/// A stop that comes while a start is under way, on another thread, waits for it: then there is something to stop.
final class DeviceLife: Sendable {
  private enum State { case new, started, stopped }
  private let state = Lock(State.new)

  /// - Throws: `AudioIOError` `.wrongState`, or what `body` throws.
  func start(_ device: DeviceName, _ body: () throws(AudioIOError) -> Void) throws(AudioIOError) {
    try state.withLock { (state) throws(AudioIOError) in
      guard state == .new else { throw AudioIOError(.wrongState, device: device.text) }
      state = .started
      try body()
    }
  }

  func stop(_ body: () -> Void) {
    state.withLock { state in
      state = .stopped
      body()
    }
  }
}
