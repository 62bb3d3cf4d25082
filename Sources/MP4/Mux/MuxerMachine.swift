internal import MediaCore

/// The states of a muxer: a pure state machine, no I/O in it.
///
///     unknown ──append──▶ running ──finish, completed──▶ completed ──finish──▶ the same summary
///        │                   │
///      finish              failed
///        ▼                   ▼
///      failed ◀──────────  failed         cancel, from anywhere but completed ──▶ cancelled
struct MuxerMachine: Sendable, Equatable {
  enum Event: CaseIterable { case append, finish, completed, failed, cancel }

  enum Action: Equatable {
    /// Take the sample.
    case write
    /// Write the rest and give the output its name.
    case complete
    /// Return the summary again.
    case repeatSummary
    /// Discard the output.
    case discard
    /// There is nothing left to do.
    case nothing
  }

  /// Why an event does not fit the state.
  enum Refusal: Error, Equatable {
    /// Nothing was appended: there is nothing to finish, and the output is to be discarded.
    case nothingAppended
    /// It is finished.
    case finished
    /// It was cancelled.
    case cancelled
    /// It failed before.
    case failed
  }

  private(set) var state = PipelineState.unknown

  /// - Throws: `Refusal` where the event does not fit; the output is then to be discarded if it still exists.
  mutating func handle(_ event: Event) throws(Refusal) -> Action {
    switch (event, state) {
    case (.append, .unknown), (.append, .running):
      state = .running
      return .write
    case (.append, .completed): throw .finished
    case (.finish, .unknown):
      state = .failed
      throw .nothingAppended
    case (.finish, .running): return .complete
    case (.finish, .completed): return .repeatSummary
    case (.completed, .running):
      state = .completed
      return .nothing
    case (.failed, .unknown), (.failed, .running):
      state = .failed
      return .discard
    case (.cancel, .unknown), (.cancel, .running), (.cancel, .failed):
      let action: Action = state == .failed ? .nothing : .discard
      state = .cancelled
      return action
    case (.append, .cancelled), (.finish, .cancelled): throw .cancelled
    case (.append, .failed), (.finish, .failed): throw .failed
    case (.completed, _), (.failed, _), (.cancel, _): return .nothing
    }
  }
}
