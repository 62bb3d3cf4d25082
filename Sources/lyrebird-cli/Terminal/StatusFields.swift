/// The fields of a status line; a narrow terminal shows only the more important ones.
///
/// Bars share the columns that the other fields leave. If they get too short, the least important field is dropped.
struct StatusFields {
  private enum Content {
    case text(String, style: Terminal.Style?)
    case bar(Double)
  }

  private struct Field {
    let content: Content
    let importance: Int

    /// Columns of a text; `nil` for a bar.
    var textWidth: Int? {
      if case .text(let text, _) = content { DisplayWidth.of(text) } else { nil }
    }
  }

  private var fields: [Field] = []

  private static let gap = 2
  /// The shortest bar that is worth showing, and the longest that still reads at a glance.
  private static let barWidth = 8...48

  /// Adds text.
  ///
  /// - Parameters:
  ///   - text: without control characters.
  ///   - importance: the field with the lowest importance is dropped first.
  ///   - width: the least number of columns, so that what follows does not move; padded with spaces on the left.
  ///   - style: how a terminal shows it; `nil` for plain text.
  mutating func add(_ text: String, importance: Int, width: Int = 0, style: Terminal.Style? = nil) {
    guard !text.isEmpty || width > 0 else { return }
    fields.append(Field(content: .text(Text.padded(text, width), style: style), importance: importance))
  }

  /// Adds a bar filled to a fraction from 0 to 1.
  mutating func addBar(_ part: Double, importance: Int) {
    fields.append(Field(content: .bar(min(max(part, 0), 1)), importance: importance))
  }

  /// The line, no longer than the given columns.
  func line(columns: Int) -> String {
    var shown = fields
    while shown.count > 1, StatusFields.shortest(shown) > columns {
      let least = shown.map(\.importance).min()
      shown.removeAll { $0.importance == least }
    }
    return StatusFields.text(shown, columns: columns)
  }

  private static func shortest(_ fields: [Field]) -> Int {
    fields.reduce((fields.count - 1) * gap) { $0 + ($1.textWidth ?? barWidth.lowerBound) }
  }

  private static func text(_ fields: [Field], columns: Int) -> String {
    let bars = fields.count { $0.textWidth == nil }
    let taken = fields.reduce((fields.count - 1) * gap) { $0 + ($1.textWidth ?? 0) }
    let length = min(max(columns - taken, 0) / max(bars, 1), barWidth.upperBound)
    let parts = fields.map { field in
      switch field.content {
      case .text(let text, let style): Terminal.styled(DisplayWidth.fitted(text, columns: columns), style)
      case .bar(let part): bar(part, length: length)
      }
    }
    return Text.list(parts, String(repeating: " ", count: gap))
  }

  /// A bar of the given length, filled to a fraction.
  private static func bar(_ part: Double, length: Int) -> String {
    let filled = Int((part * Double(length)).rounded())
    return String(repeating: "━", count: filled) + Terminal.styled(String(repeating: "─", count: length - filled), .dim)
  }
}
