internal import Synchronization

/// A line on standard error that is redrawn in place, and only on a terminal.
///
/// The cursor stays at its start. So each drawing covers the previous one, even if the terminal became narrower
/// meanwhile and wrapped the old line; and anything else that is written overwrites it.
struct StatusLine: ~Copyable {
  /// Whether one is shown, so that messages remove it before they are written.
  private static let isShown = Atomic(false)

  mutating func show(_ fields: StatusFields) {
    guard Terminal.isErrorTerminal, Terminal.isInForeground(2), !Messages.isQuiet else { return }
    // The last column stays free: a terminal may move to the next line when it is filled.
    let text = fields.line(columns: Terminal.errorColumns - 1)
    StatusLine.isShown.store(true, ordering: .relaxed)
    Terminal.writeError("\r" + text + "\u{1B}[J\r")
  }

  /// Removes the line, so that something else can be printed.
  static func clear() {
    if isShown.exchange(false, ordering: .relaxed) { Terminal.writeError("\r\u{1B}[J") }
  }

  deinit { StatusLine.clear() }
}
