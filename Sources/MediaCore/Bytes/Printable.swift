/// Text that is safe to print, whoever wrote it: the name of a file, a title in it.
///
/// What could drive a terminal, lie about the order of a line's letters or hide in it is escaped, as `\n`, `\u{1b}`,
/// `\u{202e}`, `\u{200b}`. Everything else stays as it is. `String` holds no invalid UTF-8: Swift reads that as U+FFFD.
package func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.needsEscape) else { return text }
  var result = ""
  text.forEachPrintable { scalar, isEscaped in
    if !isEscaped {
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

extension String {
  /// Goes through the text as it is to be printed.
  ///
  /// - Parameter body: takes each scalar, and whether it is to be escaped.
  package func forEachPrintable(_ body: (_ scalar: Unicode.Scalar, _ isEscaped: Bool) -> Void) {
    let scalars = unicodeScalars
    var previous: Unicode.Scalar = " "
    var place = scalars.startIndex
    while place < scalars.endIndex {
      let scalar = scalars[place]
      scalars.formIndex(after: &place)
      let next = place < scalars.endIndex ? scalars[place] : " "
      body(scalar, scalar.needsEscape && !scalar.isVisible(after: previous, before: next))
      previous = scalar
    }
  }
}

extension Unicode.Scalar {
  /// Whether it does something to a terminal, or to the letters around it, instead of being one; or cannot be seen, so
  /// that two names that look alike are not the same. Some are seen by what they make of their neighbours.
  fileprivate var needsEscape: Bool {
    // Most text is ASCII, and nearly all of that below the first of the others.
    if value < 0x7F { return value < 0x20 }
    return switch value {
    // DEL, and the control characters of ISO 6429 that are one character: U+009B begins what ESC [ begins.
    case 0x7F...0x9F: true
    // The ends of a line and of a paragraph.
    case 0x2028, 0x2029: true
    // Characters of annotations, which are not for text.
    case 0xFFF9...0xFFFB: true
    // Spaces of no width, joiners, tags, variation selectors, fillers; marks, embeddings, overrides and isolates that turn
    // the direction of writing, as in Unicode annex 9, 2.
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether one that needs an escape is seen here by what it makes of its neighbours: one picture of several, as the
  /// families and flags of emoji are, another form of a picture or an ideograph, letters that join or do not.
  fileprivate func isVisible(after previous: Unicode.Scalar, before next: Unicode.Scalar) -> Bool {
    switch value {
    // A picture as text, or in colour. A digit becomes one with a key around it.
    case 0xFE0E, 0xFE0F: previous.isPicture || (previous.properties.isEmoji && next.value == 0x20E3)
    case 0xFE00...0xFE0D, 0xE0100...0xE01EF: previous.properties.isIdeographic
    // The joiner makes one picture of two.
    case 0x200D where previous.isPicture || previous.value == 0xFE0F: next.isPicture
    case 0x200C, 0x200D: previous.isOfJoiningScript && next.isOfJoiningScript
    default: false
    }
  }

  /// Whether it is an emoji, or the colour of one, rather than a digit, which may be part of one.
  private var isPicture: Bool { value > 0x7F && properties.isEmoji }

  /// Whether joiners change what it looks like: Arabic and its kin, and the scripts of India, up to Sinhala.
  private var isOfJoiningScript: Bool { (0x0600...0x0DFF).contains(value) && !needsEscape }
}
