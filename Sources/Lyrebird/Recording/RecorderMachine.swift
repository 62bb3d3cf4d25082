internal import MediaCore

/// The states of a recorder: a pure state machine, without I/O.
///
///     unknown ──start──▶ starting ──opened──▶ running ──stop──▶ draining ──drained──▶ finishing ──finished──▶ completed
///                           │                    └── the device fails, the disk is full:               └──▶ failed,
///                        failed                      as if stopped, and remembered                     if anything was
///                           ▼
///                        failed          cancel, from unknown to draining ──▶ cancelled
///
/// Capture is started last and stopped first: whatever it delivered until then goes into the file, which is finished
/// when nothing more can come. So even a failure ends with a whole file. The recording is completed only when the file
/// has its name.
struct RecorderMachine<Failure: Sendable>: Sendable {
  enum State: Sendable, Equatable, CaseIterable {
    /// Created, and not used yet.
    case unknown
    /// The file and the device are being opened.
    case starting
    /// Sound is being captured.
    case running
    /// Capturing has ended; what was captured is still being written.
    case draining
    /// Everything was written; the file is being made an ordinary one and given its name.
    case finishing
    /// The file has its name.
    case completed
    /// Something went wrong. There may be a file all the same.
    case failed
    /// The owner wanted no file.
    case cancelled
  }

  enum Event: Sendable {
    /// The owner wants to begin.
    case start
    /// The file is open and the device delivers.
    case opened
    /// The owner has enough, or the time is up.
    case stop
    /// Something went wrong: in opening, capturing, encoding, writing or finishing.
    case failed(Failure)
    /// Everything captured was taken.
    case drained
    /// The file has its name, or will not get it.
    case finished
    /// The owner wants no file.
    case cancel
  }

  enum Action: Equatable {
    /// Open the file and the device.
    case open
    /// Take what is captured.
    case record
    /// Stop capturing, and take what was captured until then.
    case recordRest
    /// Stop capturing.
    case stopCapture
    /// Finish the file.
    case finishFile
    /// Stop capturing and remove the file.
    case discard
    /// Resume everyone who waits.
    case announce
    /// There is nothing to do.
    case nothing
  }

  /// Why an event is refused in a state.
  enum Refusal: Error, Equatable {
    /// Nothing was started.
    case notStarted
    /// It was started before.
    case startedBefore
    /// It was cancelled.
    case cancelled
  }

  private(set) var state = State.unknown
  /// What went wrong; an error in finishing outranks an earlier one, as it says where the sound is.
  private(set) var failure: Failure?
  /// Whether the owner stopped it before it was running.
  private var isStopWanted = false

  /// The state as users of the recorder see it.
  var publicState: PipelineState {
    switch state {
    case .unknown: .unknown
    case .starting, .running, .draining, .finishing: .running
    case .completed: .completed
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }

  /// - Throws: `Refusal` if the owner asks for something the state does not allow.
  mutating func handle(_ event: Event) throws(Refusal) -> Action {
    switch event {
    case .start: return try start()
    case .stop: return try stop()
    case .cancel: return cancel()
    case .failed(let failure): return fail(failure)
    case .opened:
      // Cancelled while the file was being opened: only now is there something to remove.
      guard state == .starting else { return .discard }
      state = isStopWanted ? .draining : .running
      return isStopWanted ? .recordRest : .record
    case .drained:
      guard state == .running || state == .draining else { return .nothing }
      state = .finishing
      return .finishFile
    case .finished:
      guard state == .finishing else { return .nothing }
      state = failure == nil ? .completed : .failed
      return .announce
    }
  }

  private mutating func start() throws(Refusal) -> Action {
    switch state {
    case .unknown:
      state = .starting
      return .open
    case .cancelled: throw .cancelled
    default: throw .startedBefore
    }
  }

  private mutating func stop() throws(Refusal) -> Action {
    switch state {
    case .unknown: throw .notStarted
    case .cancelled: throw .cancelled
    case .starting:
      isStopWanted = true
      return .nothing
    case .running:
      state = .draining
      return .stopCapture
    case .draining, .finishing, .completed, .failed: return .nothing
    }
  }

  private mutating func cancel() -> Action {
    switch state {
    case .unknown:
      state = .cancelled
      return .announce
    case .starting:
      state = .cancelled
      return .nothing
    case .running, .draining:
      state = .cancelled
      return .discard
    case .finishing, .completed, .failed, .cancelled: return .nothing
    }
  }

  private mutating func fail(_ failure: Failure) -> Action {
    switch state {
    case .starting:
      self.failure = failure
      state = .failed
      return .discard
    case .running:
      self.failure = failure
      state = .draining
      return .stopCapture
    case .draining:
      self.failure = self.failure ?? failure
      return .nothing
    case .finishing:
      self.failure = failure
      return .nothing
    // The file was being opened: there may be something to remove.
    case .cancelled: return .discard
    case .unknown, .completed, .failed: return .nothing
    }
  }
}
