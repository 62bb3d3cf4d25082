internal import CPulse

/// A stream of libpulse in the hands of someone who holds the loop's lock: a thread that took it, or a callback.
///
/// Safe: it cannot be copied and is only lent, so nobody can use it once the lock is released. Its pointer is marked
/// where it is used.
@safe
struct LockedStream: ~Copyable {
  let pointer: OpaquePointer

  /// To be lent while the lock is held and the stream exists.
  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  /// Whether it is being connected, ready, or gone, as one of libpulse's numbers.
  var state: Int { Int(unsafe pulse_stream_get_state(pointer)) }

  /// Microseconds of sound played so far; 0 while that is not known.
  var time: UInt64 {
    var time: UInt64 = 0
    return unsafe pulse_stream_get_time(pointer, &time) >= 0 ? time : 0
  }

  /// Microseconds between this program and the ear or the microphone, an hour at most; 0 while that is not known.
  var latency: UInt64 {
    var time: UInt64 = 0
    var isNegative: Int32 = 0
    guard unsafe pulse_stream_get_latency(pointer, &time, &isNegative) >= 0, isNegative == 0 else { return 0 }
    return min(time, 3_600_000_000)
  }

  func setPaused(_ isPaused: Bool) {
    if let operation = unsafe pulse_stream_cork(pointer, isPaused ? 1 : 0, nil, nil) {
      unsafe pulse_operation_unref(operation)
    }
  }
}
