#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// How this process takes signals: the system calls, which keep nothing that they are given but the handler.
///
/// The handler is a function of the program, so it is there as long as a signal can come.
enum Signals {
  /// Has a signal call a function: from then on, for the whole process. Signal handlers may use this, too.
  static func handle(_ signal: Int32, _ handler: (@convention(c) (Int32) -> Void)?) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    unsafe sigaction(signal, &action, nil)
  }

  /// Whether a signal does nothing.
  static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    // Being ignored is an address, not a function: it is only compared.
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Lets signals through: a parent with many threads may pass on a mask that blocks them.
  static func unblock(_ signals: [Int32]) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
  }
}
