#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The capabilities of the terminal, and text styles for it.
enum Terminal {
  static let isErrorTerminal = isatty(2) == 1
  static let isOutputTerminal = isatty(1) == 1

  /// Colour is for people at a terminal who did not turn it off: https://no-color.org
  private static let isColourWanted = {
    // Nothing here changes the environment.
    if let value = unsafe getenv("NO_COLOR"), unsafe value.pointee != 0 { return false }
    return true
  }()

  /// Columns of the terminal at standard error, read each time, as its window may change.
  static var errorColumns: Int {
    var size = winsize()
    // The call fills in the size. If it does not know, as on a serial line: the usual width.
    guard unsafe ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether this program is in the foreground of its terminal, rather than a background job of a shell.
  static func isInForeground(_ file: Int32) -> Bool {
    let group = tcgetpgrp(file)
    return group < 0 || group == getpgrp()
  }

  static func writeError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        // The rest of the text.
        let count = unsafe write(2, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        done += count
      }
    }
  }

  /// How text looks.
  enum Style: String {
    /// Stands out.
    case bold = "1"
    /// Recedes.
    case dim = "2"
    /// Signals a problem.
    case red = "31"
    /// Signals success.
    case green = "32"
  }

  /// Text for standard output in bold.
  static func bold(_ text: String) -> String { onOutput(text, .bold) }
  /// Text for standard output that recedes.
  static func dim(_ text: String) -> String { onOutput(text, .dim) }
  /// Text for standard output that signals success.
  static func green(_ text: String) -> String { onOutput(text, .green) }
  /// Text for standard output that signals a problem.
  static func red(_ text: String) -> String { onOutput(text, .red) }

  private static func onOutput(_ text: String, _ style: Style) -> String {
    styled(text, isOutputTerminal ? style : nil)
  }

  /// Text in a style for a terminal, unless the user wants none; safe to print, whatever name is in it.
  static func styled(_ text: String, _ style: Style?) -> String {
    let text = Text.printable(text)
    guard let style, !text.isEmpty, isColourWanted else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
