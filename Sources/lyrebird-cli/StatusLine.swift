/// A line on standard error that is drawn again and again, and only on a terminal.
struct StatusLine: ~Copyable {
  private var isShown = false

  mutating func show(_ text: String) {
    guard Terminal.isErrorTerminal else { return }
    isShown = true
    Terminal.writeError("\r\u{1B}[K" + text)
  }

  /// Takes the line away, so that something else can be said.
  mutating func clear() {
    if isShown { Terminal.writeError("\r\u{1B}[K") }
    isShown = false
  }

  deinit {
    if isShown { Terminal.writeError("\r\u{1B}[K") }
  }
}
