internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Ctrl-C, `kill` and a closed terminal: long work checks now and then, stops at a good point and cleans up.
///
/// The handler only notes the signal. A second Ctrl-C or `kill` ends the process at once, as without a handler. A
/// second SIGHUP does not: when a terminal is closed the kernel sends one, and then the shell sends another.
enum Interrupt {
  /// The signal that came first.
  private static let received = Atomic<Int32>(0)
  private static let endsInputOnly = Atomic<Bool>(false)
  /// A bit for each signal that has come.
  private static let seen = Atomic<UInt32>(0)
  private static let inputEnded = Atomic<Bool>(false)

  /// Starts listening. Called once, before any work.
  static func install() {
    // Touched here, so that nothing is initialized inside a signal handler.
    received.store(0, ordering: .relaxed)
    seen.store(0, ordering: .relaxed)
    KeyMode.prepare()
    // `nohup` asked for the last one to be ignored.
    let signals = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Signals.isIgnored($0) }
    for signal in signals { Signals.handle(signal) { Interrupt.note($0) } }
    Signals.unblock(signals)
    // Only wakes up what waits for another process.
    Signals.handle(SIGALRM) { _ in alarm(Interrupt.patience) }
    Signals.unblock([SIGALRM])
    // A file that would exceed `ulimit -f` is an error of the write, not the end of the process.
    Signals.handle(SIGXFSZ, SIG_IGN)
  }

  /// Seconds after which a command that was stopped no longer waits for the reader of its output.
  private static var patience: UInt32 { 3 }

  /// In the handler: nothing but atomics and system calls.
  private static func note(_ signal: Int32) {
    let bit = UInt32(1) << UInt32(truncatingIfNeeded: signal)
    let before = seen.bitwiseOr(bit, ordering: .relaxed).oldValue
    _ = received.compareExchange(expected: 0, desired: signal, ordering: .relaxed)
    if before & bit != 0, signal != SIGHUP { end(by: signal) }
    alarm(patience)
  }

  /// Ends the process as if there were no handler; handlers call this, too.
  static func end(by signal: Int32) {
    KeyMode.turnOff()
    Signals.handle(signal, SIG_DFL)
    raise(signal)
  }

  /// The exit status after a signal: 129, 130 or 143; `nil` if none has come.
  static var status: ExitStatus? {
    let signal = received.load(ordering: .relaxed)
    return signal == 0 ? nil : ExitStatus(rawValue: 128 + signal) ?? .interrupted
  }

  /// Lets a signal end the stream that is read, rather than the work: the stream cannot be read again, so what came
  /// from it is worth finishing.
  static func endInputOnly(_ isOn: Bool = true) { endsInputOnly.store(isOn, ordering: .relaxed) }

  /// Notes that a stream was taken to be at its end because of a signal.
  static func noteInputEnded() { inputEnded.store(true, ordering: .relaxed) }

  /// Whether a stream was taken to be at its end because of a signal.
  static var hasEndedInput: Bool { inputEnded.load(ordering: .relaxed) }

  /// What to report instead of an error in data that a signal cut off; `nil` if none did.
  static var cutOff: Failure? {
    guard let status, hasEndedInput else { return nil }
    return Failure(status: status, "stopped before enough input had arrived")
  }

  /// What to report instead of the error of work that was cancelled; `nil` if no signal came.
  static var stopped: Failure? {
    let left = leftBehind.withLock { $0 }
    return status.map { Failure(status: $0, left.isEmpty ? "stopped" : "stopped; \(left)") }
  }

  private static let leftBehind = Mutex("")

  /// Sets what a command that is stopped says it left; those that print or write piece by piece keep it true.
  static func note(leftBehind text: String) { leftBehind.withLock { $0 = text } }

  /// What is said of standard output once anything was written to it.
  static let incompleteOutput = "standard output is incomplete"

  /// Whether a signal should end the work, and not only the stream that is read.
  static var endsWork: Bool {
    received.load(ordering: .relaxed) != 0 && !endsInputOnly.load(ordering: .relaxed)
  }

  /// - Throws: `Failure` with that status if a signal ended the input of work that was then finished.
  static func checkFinished(_ output: String) throws(Failure) {
    guard endsInputOnly.load(ordering: .relaxed) else { return }
    if let status { throw Failure(status: status, "stopped; \(output) holds everything that had arrived") }
  }

  /// - Throws: `Failure` with that status once a signal has come.
  static func check() throws(Failure) {
    if endsWork, let stopped { throw stopped }
  }
}
