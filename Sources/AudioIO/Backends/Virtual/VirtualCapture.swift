internal import MediaCore

/// Where a virtual microphone's sound comes from.
protocol CaptureSource: Sendable {
  var format: AudioFormat { get }
  /// Fills the memory with interleaved samples.
  ///
  /// - Returns: frames written; fewer than fit only at the end.
  mutating func fill(_ memory: UnsafeMutableRawBufferPointer) throws -> Int
}

/// A microphone without hardware: delivers at the clock's pace, period by period, as a sound card does.
final class VirtualCapture: CaptureBackend {
  let format: AudioFormat
  private let clock: any DeviceClock
  private let periodFrames: Int
  private let state: Lock<State>

  private struct State {
    var source: any CaptureSource
    var timer: (any DeviceTimer)?
    var failure: (any MediaError)?
  }

  init(_ source: some CaptureSource, options: AudioOptions, clock: any DeviceClock) {
    format = source.format
    self.clock = clock
    periodFrames = VirtualPeriod.frames(options, format)
    state = Lock(State(source: source))
  }

  func start(_ queue: CaptureQueue) throws(AudioIOError) {
    let memory = Memory(count: periodFrames * format.bytesPerFrame)
    let period = VirtualPeriod.nanoseconds(periodFrames, format)
    let timer = clock.every(period) { [self] time in
      // A period is delivered when its last frame has been heard: its first was heard a period earlier.
      deliver(into: queue, through: memory, heard: time - period)
    }
    state.withLock { $0.timer = timer }
  }

  private func deliver(into queue: CaptureQueue, through memory: Memory, heard: Int64) {
    // The memory lives as long as the closure that calls this.
    let filled = state.withLock { state -> Int? in
      do {
        return try unsafe state.source.fill(memory.bytes)
      } catch {
        state.failure = error as? any MediaError
        return nil
      }
    }
    guard let frames = filled else { return queue.end(.fileFailed) }
    let bytes = unsafe memory.bytes.bytes.extracting(0..<(frames * format.bytesPerFrame))
    queue.deliver(bytes, measured: heard)
    if frames < periodFrames { queue.end(.finished) }
  }

  var failure: (any MediaError)? { state.withLock { $0.failure } }

  func stop() {
    let timer = state.withLock { state in
      defer { state.timer = nil }
      return state.timer
    }
    timer?.stop()
  }
}

/// Memory of a timer's thread.
///
/// `@unchecked Sendable`: it belongs to the one closure that the timer calls, one call at a time. Safe: it owns the
/// memory, and its pointer is marked where it is used.
@safe
final class Memory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  init(count: Int) {
    unsafe bytes = .allocate(byteCount: max(count, 1), alignment: 16)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { unsafe bytes.deallocate() }
}

/// The period of a virtual device.
enum VirtualPeriod {
  /// Half the requested buffer, as one half is heard while the other is made; a millisecond at least.
  static func frames(_ options: AudioOptions, _ format: AudioFormat) -> Int {
    let nanoseconds = max(min(options.buffer.nanoseconds / 2, 1_000_000_000), 1_000_000)
    return max(Int(nanoseconds * Int64(format.sampleRate) / 1_000_000_000), 1)
  }

  static func nanoseconds(_ frames: Int, _ format: AudioFormat) -> Int64 {
    Int64(frames) * 1_000_000_000 / Int64(format.sampleRate)
  }
}
