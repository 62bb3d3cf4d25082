/// What to do about reads that fail: a pure state machine, no I/O in it.
///
/// An interruption (a network share that went away) is survived by reopening the source and asking for the same bytes
/// again. Because each read names its offset, nothing is lost and nothing is delivered twice. Retrying must not go on
/// for ever: after `attempts` failures without one good byte between them the error is passed on.
package struct ReadRecovery: Sendable, Equatable {
  /// What happened.
  package enum Event: Sendable {
    /// A read delivered at least one byte.
    case progressed
    /// A read, or a reopening, failed.
    case failed
  }

  /// What to do next.
  package enum Action: Sendable, Equatable {
    /// Continue.
    case proceed
    /// Reopen the source, then repeat the read.
    case reopen
    /// Pass the error on.
    case giveUp
  }

  /// Failures in a row that are survived.
  package let attempts: Int
  private var failures = 0

  /// A machine that survives `attempts` failures in a row.
  package init(attempts: Int) {
    self.attempts = attempts
  }

  /// Takes an event, returns the action.
  package mutating func handle(_ event: Event) -> Action {
    switch event {
    case .progressed:
      failures = 0
      return .proceed
    case .failed:
      failures += 1
      return failures > attempts ? .giveUp : .reopen
    }
  }
}
