internal import MediaCore

/// The states of a recorder: a pure state machine, no I/O in it.
///
///     unknown ──start──▶ running ──stop──▶ draining ──drained──▶ completed
///                           │                               └──▶ failed, if anything went wrong on the way
///                           └── the device fails, the disk is full, the time is up: as if stopped
///
/// What captures is started last and stopped first: whatever it delivered until then goes into the file, which is
/// finished when nothing more can come. So a failure too ends in a whole file.
struct RecorderMachine<Failure: Sendable>: Sendable {
  enum Event {
    /// The owner wants to begin.
    case start
    /// The owner has enough, or the time is up.
    case stop
    /// Something went wrong: in capturing, encoding or writing.
    case failed(Failure)
    /// Everything captured was taken.
    case drained
    /// The owner wants no file.
    case cancel
  }

  enum Action: Equatable {
    /// Start capturing.
    case startCapture
    /// Stop capturing, and take what was captured until now.
    case stopCapture
    /// Finish the file.
    case finishFile
    /// Stop capturing and remove the file.
    case discard
    /// There is nothing to do.
    case nothing
  }

  private(set) var state = PipelineState.unknown
  /// The first thing that went wrong.
  private(set) var failure: Failure?
  private var isDraining = false

  mutating func handle(_ event: Event) -> Action {
    switch (event, state) {
    case (.start, .unknown):
      state = .running
      return .startCapture
    case (.stop, .running):
      return drain()
    case (.failed(let failure), .running):
      self.failure = self.failure ?? failure
      return drain()
    case (.failed(let failure), .completed), (.failed(let failure), .unknown):
      // Finishing the file comes after the last sample, and can fail too.
      self.failure = failure
      state = .failed
      return .nothing
    case (.drained, .running):
      state = failure == nil ? .completed : .failed
      return .finishFile
    case (.cancel, .unknown), (.cancel, .running):
      state = .cancelled
      return .discard
    default:
      return .nothing
    }
  }

  private mutating func drain() -> Action {
    guard !isDraining else { return .nothing }
    isDraining = true
    return .stopCapture
  }
}
