internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Ctrl-C and `kill`: long work asks now and then, stops at a good place and cleans up.
///
/// The handler only notes the signal; a second one ends the process at once, as without a handler.
enum Interrupt {
  private static let received = Atomic<Int32>(0)
  private static let endsInputOnly = Atomic<Bool>(false)

  /// Starts listening. Called once, before any work.
  static func install() {
    // Touched here, so that nothing is set up for the first time inside a signal handler.
    received.store(0, ordering: .relaxed)
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { Interrupt.received.store($0, ordering: .relaxed) }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(signal, &action, nil)
      sigaddset(&signals, signal)
    }
    // A parent with many threads may pass on a mask that holds them back.
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  /// How the command is to end since a signal has come: 130 or 143; `nil` while none has.
  static var status: ExitStatus? {
    let signal = received.load(ordering: .relaxed)
    return signal == 0 ? nil : ExitStatus(rawValue: 128 + signal) ?? .interrupted
  }

  /// Has a signal end a stream that is read, rather than the work: nobody can read the stream again, so what came of it
  /// is worth finishing.
  static func endInputOnly() { endsInputOnly.store(true, ordering: .relaxed) }

  /// - Throws: `Failure` with status 130 or 143 where a signal ended the input of a work that was finished then.
  static func checkFinished(_ output: String) throws(Failure) {
    guard endsInputOnly.load(ordering: .relaxed) else { return }
    if let status { throw Failure(status: status, "stopped; \(output) holds what had come until then") }
  }

  /// - Throws: `Failure` with status 130 or 143 once a signal has come.
  static func check() throws(Failure) {
    if let status, !endsInputOnly.load(ordering: .relaxed) {
      throw Failure(status: status, "stopped; no output was left behind")
    }
  }
}
