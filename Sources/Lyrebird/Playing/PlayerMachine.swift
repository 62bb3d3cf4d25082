internal import MediaCore

/// The states of a player: a pure state machine, without I/O.
///
///     ready ──play──▶ playing ──its last frame was heard──▶ completing ──closed──▶ completed
///                      │   ▲
///                    seek  └──broken off── seeking
///                      ├──▶ seeking ──stop──▶ stopping ──broken off, closed──▶ cancelled
///                      ├──▶ stopping
///                      └──▶ failing ──broken off, closed──▶ failed          ready ──stop──▶ cancelled
///
/// A segment is what is played in one go: from the start, or from the target of a seek. It ends when its last frame was
/// heard, not when it was handed over. The player is over only when its segment is, and the device is closed, with the
/// file that it may write: until then it counts as running.
struct PlayerMachine<Failure: Sendable>: Sendable {
  enum State: Sendable, Equatable {
    /// Nothing was played yet; playing will begin at this frame.
    case ready(at: Int64)
    /// A segment is being played.
    case playing
    /// A segment is being broken off, for another that begins at this frame.
    case seeking(to: Int64)
    /// A segment is being broken off, since the owner has heard enough.
    case stopping
    /// A segment is being broken off, since something failed.
    case failing
    /// All was heard, and the device is being closed: too late for a seek.
    case completing
    /// All was heard.
    case completed
    /// Something failed.
    case failed
    /// The owner had heard enough.
    case cancelled
  }

  enum Event {
    /// The owner wants to hear it.
    case play
    /// The owner wants to hear it from another frame on.
    case seek(Int64)
    /// The segment is over: its last frame was heard, or it was broken off.
    case segmentEnded
    /// The device is closed.
    case closed
    /// The owner has heard enough.
    case stop
    /// The rest of the file cannot be decoded, or the device went away.
    case failed(Failure)
  }

  enum Action: Equatable {
    /// Play a segment from this frame on.
    case begin(Int64)
    /// Break the segment off.
    case breakOff
    /// Close the device: there will be no other segment.
    case close
    /// It is over: resume waiting tasks.
    case end
    /// There is nothing to do; the event came too late, or twice.
    case nothing
  }

  private(set) var state = State.ready(at: 0)
  /// The first thing that went wrong.
  private(set) var failure: Failure?

  /// The state as users of the player see it.
  var publicState: PipelineState {
    switch state {
    case .ready: .unknown
    case .playing, .seeking, .stopping, .failing, .completing: .running
    case .completed: .completed
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }

  /// Where the next segment begins, if there will be one.
  var target: Int64? {
    switch state {
    case .ready(let frame), .seeking(let frame): frame
    default: nil
    }
  }

  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .play: play()
    case .seek(let frame): seek(to: frame)
    case .segmentEnded: endSegment()
    case .closed: end()
    case .stop: stop()
    case .failed(let failure): fail(failure)
    }
  }

  private mutating func play() -> Action {
    guard case .ready(let frame) = state else { return .nothing }
    state = .playing
    return .begin(frame)
  }

  private mutating func seek(to frame: Int64) -> Action {
    switch state {
    case .ready:
      state = .ready(at: frame)
      return .nothing
    case .playing, .seeking:
      state = .seeking(to: frame)
      return .breakOff
    case .stopping, .failing, .completing, .completed, .failed, .cancelled: return .nothing
    }
  }

  private mutating func endSegment() -> Action {
    switch state {
    case .playing:
      state = .completing
      return .close
    case .stopping, .failing: return .close
    case .seeking(let frame):
      state = .playing
      return .begin(frame)
    case .ready, .completing, .completed, .failed, .cancelled: return .nothing
    }
  }

  private mutating func end() -> Action {
    switch state {
    case .completing: state = .completed
    case .stopping: state = .cancelled
    case .failing: state = .failed
    case .ready, .playing, .seeking, .completed, .failed, .cancelled: return .nothing
    }
    return .end
  }

  private mutating func stop() -> Action {
    switch state {
    case .ready:
      state = .cancelled
      return .end
    case .playing, .seeking:
      state = .stopping
      return .breakOff
    case .stopping, .failing, .completing, .completed, .failed, .cancelled: return .nothing
    }
  }

  private mutating func fail(_ failure: Failure) -> Action {
    switch state {
    // A device that fails while it is being closed has lost the end of the sound: that is no success.
    case .playing, .seeking, .stopping, .completing:
      self.failure = failure
      state = .failing
      return .breakOff
    case .ready, .failing, .completed, .failed, .cancelled: return .nothing
    }
  }
}
