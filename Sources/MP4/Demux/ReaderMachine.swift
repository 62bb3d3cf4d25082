internal import MediaCore

/// The states of a reader: a pure state machine, no I/O in it.
///
///     unknown ──pulled──▶ running ──ended──▶ completed
///                           │  ▲
///                        failed pulled
///                           ▼  │
///                          failed            cancel, from anywhere ──▶ cancelled
struct ReaderMachine: Sendable, Equatable {
  enum Event { case pulled, ended, failed, sought }
  enum Action: Equatable { case read, deliverEnd }

  private(set) var state = PipelineState.unknown

  /// - Throws: `.cancelled` for every event once the reader is cancelled.
  mutating func handle(_ event: Event) throws(MP4Error) -> Action {
    guard state != .cancelled else { throw MP4Error(.cancelled) }
    switch event {
    case .pulled where state == .completed: return .deliverEnd
    case .pulled, .sought:
      state = event == .pulled ? .running : .unknown
      return .read
    case .ended:
      state = .completed
      return .deliverEnd
    case .failed:
      state = .failed
      return .deliverEnd
    }
  }

  mutating func cancel() {
    if state != .completed { state = .cancelled }
  }
}
