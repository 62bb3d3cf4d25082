/// Text made safe to print, whoever wrote it: a file name, or a title inside a file.
///
/// Anything that could drive a terminal, disguise the order of the letters on a line or hide among them is escaped, as
/// `\n`, `\u{1b}`, `\u{202e}`, `\u{200b}`. Everything else stays as it is. A `String` holds no invalid UTF-8: Swift
/// reads it as U+FFFD.
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
  /// Walks the text scalar by scalar.
  ///
  /// - Parameter body: called with each scalar and whether it has to be escaped.
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
  /// Whether the scalar acts on a terminal or on the letters around it rather than being one, or is invisible, so that
  /// two different names could look the same. Some of these do show, by their effect on their neighbours: see
  /// `isVisible`.
  fileprivate var needsEscape: Bool {
    // Fast path: most text is ASCII below DEL.
    if value < 0x7F { return value < 0x20 }
    return switch value {
    // DEL and the C1 control characters of ISO 6429: U+009B alone does what ESC [ does.
    case 0x7F...0x9F: true
    // Line and paragraph separators.
    case 0x2028, 0x2029: true
    // Interlinear annotation characters, which are not meant for plain text.
    case 0xFFF9...0xFFFB: true
    // Zero-width spaces, joiners, tags, variation selectors, fillers; the marks, embeddings, overrides and isolates
    // that change the writing direction (Unicode annex 9, 2).
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether a scalar that needs an escape shows here by its effect on its neighbours: it joins several emoji into one
  /// (families, flags), selects another form of an emoji or an ideograph, or makes letters join or not.
  fileprivate func isVisible(after previous: Unicode.Scalar, before next: Unicode.Scalar) -> Bool {
    switch value {
    // Selects the text or the colour form. A digit becomes an emoji when a keycap follows.
    case 0xFE0E, 0xFE0F: previous.isPicture || (previous.properties.isEmoji && next.value == 0x20E3)
    case 0xFE00...0xFE0D, 0xE0100...0xE01EF: previous.properties.isIdeographic
    // The zero-width joiner makes one emoji of two.
    case 0x200D where previous.isPicture || previous.value == 0xFE0F: next.isPicture
    case 0x200C, 0x200D: previous.isOfJoiningScript && next.isOfJoiningScript
    default: false
    }
  }

  /// Whether it is an emoji, or the skin tone of one, rather than a digit, which can be part of one.
  private var isPicture: Bool { value > 0x7F && properties.isEmoji }

  /// Whether joiners change what it looks like: Arabic and its kin, and the scripts of India, up to Sinhala.
  private var isOfJoiningScript: Bool { (0x0600...0x0DFF).contains(value) && !needsEscape }
}
