/// Text that is safe to print, whoever wrote it: the name of a file, a title in it.
///
/// What could drive a terminal or lie about the order of a line's letters is escaped, as `\n`, `\u{1b}`, `\u{202e}`.
/// Everything else stays as it is. `String` holds no invalid UTF-8: Swift reads that as U+FFFD.
package func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.needsEscape) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if !scalar.needsEscape {
      result.unicodeScalars.append(scalar)
    } else {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
  }
  return result
}

extension Unicode.Scalar {
  /// Whether it does something to a terminal, or to the letters around it, instead of being one.
  package var needsEscape: Bool {
    // Most text is ASCII, and nearly all of that below the first of the others.
    if value < 0x7F { return value < 0x20 }
    return switch value {
    // DEL, and the control characters of ISO 6429 that are one character: U+009B begins what ESC [ begins.
    case 0x7F...0x9F: true
    // Marks, embeddings, overrides and isolates that turn the direction of writing: Unicode annex 9, 2.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    // The ends of a line and of a paragraph.
    case 0x2028, 0x2029: true
    // Deprecated format characters, and those of annotations: nobody writes them.
    case 0x206A...0x206F, 0xFFF9...0xFFFB: true
    default: false
    }
  }
}
