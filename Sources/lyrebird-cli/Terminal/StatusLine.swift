internal import Synchronization

/// A line on standard error that is drawn again and again in one place, and only on a terminal.
///
/// The cursor waits at its beginning. So each drawing covers the one before, even where the terminal was made narrower
/// meanwhile and has broken the old line in two; and whatever else is written writes over it.
struct StatusLine: ~Copyable {
  /// Whether one is shown, so that messages take it away before they are written.
  private static let isShown = Atomic(false)

  mutating func show(_ fields: StatusFields) {
    guard Terminal.isErrorTerminal, Terminal.isInForeground(2), !Messages.isQuiet else { return }
    // The last column stays free: a terminal that has filled it may go on to the next line.
    let text = fields.line(columns: Terminal.errorColumns - 1)
    StatusLine.isShown.store(true, ordering: .relaxed)
    Terminal.writeError("\r" + text + "\u{1B}[J\r")
  }

  /// Takes the line away, so that something else can be said.
  static func clear() {
    if isShown.exchange(false, ordering: .relaxed) { Terminal.writeError("\r\u{1B}[J") }
  }

  deinit { StatusLine.clear() }
}
