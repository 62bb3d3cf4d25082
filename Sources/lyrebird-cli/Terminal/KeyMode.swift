internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The settings of the terminal while keys are commands: each key arrives at once, none is echoed, and the cursor is
/// hidden. Ctrl-C and Ctrl-Z keep their meaning.
///
/// The previous settings are kept where a signal handler finds them: however this program ends, the shell gets its
/// terminal back as it was.
enum KeyMode {
  /// The descriptor of the terminal that keys come from: standard input, or standard error if sound comes from standard
  /// input, as shells open all three for reading and writing; -1 if neither is a terminal.
  static let terminal = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : -1

  /// The previous settings. Written once, before `isSaved` is set, and never freed: so a handler may read them.
  /// All that is unsafe here rests on that, or hands something to a system call that does not keep it.
  nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  private static let isSaved = Atomic(false)
  private static let isOn = Atomic(false)
  /// Whether another program may have changed the terminal in the meantime.
  private static let isStale = Atomic(false)
  private static let isStopAsked = Atomic(false)

  /// Touches what handlers use, so that nothing is initialized inside one.
  static func prepare() {
    _ = unsafe (saved, terminal)
    isSaved.store(false, ordering: .relaxed)
    isOn.store(false, ordering: .relaxed)
    isStale.store(false, ordering: .relaxed)
    isStopAsked.store(false, ordering: .relaxed)
  }

  /// Changes the settings, if there is a terminal and it is ours; does nothing if they are changed already.
  ///
  /// - Returns: whether keys arrive now.
  static func turnOn() -> Bool {
    // In the background both reading and setting would stop us.
    guard Terminal.isInForeground(terminal) else { return false }
    let isStale = isStale.exchange(false, ordering: .relaxed)
    if isOn.load(ordering: .acquiring), !isStale { return true }
    if !isSaved.load(ordering: .relaxed) {
      guard unsafe tcgetattr(terminal, saved) == 0 else { return false }
      isSaved.store(true, ordering: .releasing)
      listen()
    }
    var settings = unsafe saved.pointee
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // VTIME and VMIN: a read returns what is available, at least one byte.
    (settings.c_cc.5, settings.c_cc.6) = (0, 1)
    guard unsafe tcsetattr(terminal, TCSANOW, &settings) == 0 else { return false }
    isOn.store(true, ordering: .releasing)
    if Terminal.isErrorTerminal { Terminal.writeError("\u{1B}[?25l") }
    return true
  }

  /// Restores the terminal. Nothing but atomics and system calls: signal handlers call this too.
  static func turnOff() {
    guard isOn.exchange(false, ordering: .acquiringAndReleasing) else { return }
    unsafe tcsetattr(terminal, TCSANOW, saved)
    if Terminal.isErrorTerminal { showCursor() }
  }

  private static func showCursor() {
    let sequence: StaticString = "\u{1B}[?25h"
    _ = unsafe write(STDERR_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
  }

  /// Whether Ctrl-Z was pressed since the last call.
  static var wasStopAsked: Bool { isStopAsked.exchange(false, ordering: .relaxed) }

  /// Stops this process until the shell continues it, with the terminal restored meanwhile.
  static func stop() {
    turnOff()
    Signals.handle(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    Signals.handle(SIGTSTP) { _ in KeyMode.isStopAsked.store(true, ordering: .relaxed) }
  }

  private static func listen() {
    Signals.handle(SIGTSTP) { _ in KeyMode.isStopAsked.store(true, ordering: .relaxed) }
    // After any other stop the terminal is as the shell has set it.
    Signals.handle(SIGCONT) { _ in KeyMode.isStale.store(true, ordering: .relaxed) }
    // Ctrl-\, which dumps core.
    Signals.handle(SIGQUIT) { Interrupt.end(by: $0) }
    Signals.unblock([SIGTSTP, SIGCONT, SIGQUIT])
  }
}
