internal import MediaCore

/// The states of a player: a pure state machine, no I/O in it.
///
///     unknown ──play──▶ running ──heard──▶ completed
///                        │   ▲
///                        seek: another segment begins          stop ──▶ cancelled      failed ──▶ failed
///
/// A segment is what is played in one go: from the start, or from where a seek went. It ends when its last frame was
/// heard, not when it was handed over.
struct PlayerMachine<Failure: Sendable>: Sendable {
  enum Event {
    /// The owner wants to hear it.
    case play
    /// The owner wants to hear it from another frame on.
    case seek(Int64)
    /// The segment is over: its last frame was heard, or it was broken off.
    case segmentEnded
    /// The owner has heard enough.
    case stop
    /// The file cannot be decoded on, or the device went away.
    case failed(Failure)
  }

  enum Action: Equatable {
    /// Play a segment from this frame on.
    case begin(Int64)
    /// Break the segment off.
    case breakOff
    /// Nothing is left to be played.
    case end
    /// There is nothing to do.
    case nothing
  }

  private(set) var state = PipelineState.unknown
  /// The first thing that went wrong.
  private(set) var failure: Failure?
  /// Where the next segment begins, if there will be one.
  private(set) var target: Int64?

  /// Whether what is being played is to be broken off.
  var isBrokenOff: Bool { state != .running || target != nil }

  mutating func handle(_ event: Event) -> Action {
    switch (event, state) {
    case (.play, .unknown):
      state = .running
      defer { target = nil }
      return .begin(target ?? 0)
    case (.seek(let frame), .unknown):
      target = frame
      return .nothing
    case (.seek(let frame), .running):
      target = frame
      return .breakOff
    case (.segmentEnded, .running):
      guard let frame = target else {
        state = .completed
        return .end
      }
      target = nil
      return .begin(frame)
    case (.segmentEnded, _): return .end
    case (.stop, .unknown), (.stop, .running):
      let action: Action = state == .running ? .breakOff : .nothing
      state = .cancelled
      target = nil
      return action
    case (.failed(let failure), .running):
      self.failure = failure
      state = .failed
      target = nil
      return .breakOff
    default: return .nothing
    }
  }
}
