#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What the terminal can do, and styles for it.
enum Terminal {
  static let isErrorTerminal = isatty(2) == 1
  static let isOutputTerminal = isatty(1) == 1

  /// Colour is for people at a terminal who did not ask for none: https://no-color.org
  private static let hasStyles: Bool = {
    guard isOutputTerminal else { return false }
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    return true
  }()

  static func writeError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }

  /// Stands out.
  static func bold(_ text: String) -> String { styled(text, "1") }
  /// Steps back.
  static func dim(_ text: String) -> String { styled(text, "2") }
  /// Says that all is well.
  static func green(_ text: String) -> String { styled(text, "32") }
  /// Says that something is not.
  static func red(_ text: String) -> String { styled(text, "31") }

  /// Safe to print, whatever name is in it.
  private static func styled(_ text: String, _ code: String) -> String {
    let text = Text.printable(text)
    return hasStyles ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
