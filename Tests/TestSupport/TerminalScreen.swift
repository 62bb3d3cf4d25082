/// What a terminal shows, worked out from what programs write to it.
///
/// It knows the few control sequences that the command uses. Whatever would go on in the next line is counted, so that
/// a test can say that nothing did.
public struct TerminalScreen: Sendable {
  /// Columns there are.
  public var columns: Int
  /// The lines, as far as something was written to them.
  public private(set) var lines = [""]
  /// How often a character was put into the last column, from where a line may go on in the next one.
  public private(set) var fullLines = 0
  /// Whether the cursor is hidden.
  public private(set) var isCursorHidden = false
  /// Control sequences that this does not know.
  public private(set) var unknown: [String] = []

  /// The characters of each line; the second column of a wide one holds nothing.
  private var cells: [[String]] = [[]]
  private var row = 0
  private var column = 0
  private var pending: [UInt8] = []

  init(columns: Int) {
    self.columns = columns
  }

  /// Takes in what a program wrote.
  mutating func write(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    // The end of what was read may be in the middle of a character, or of a control sequence.
    guard let (text, rest) = TerminalScreen.whole(pending) else { return }
    pending = rest
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.first {
      if scalar == "\u{1B}" {
        guard let sequence = TerminalScreen.sequence(scalars) else { break }
        scalars = scalars.dropFirst(sequence.count)
        control(String(String.UnicodeScalarView(sequence.dropFirst())))
      } else {
        scalars = scalars.dropFirst()
        put(scalar)
      }
    }
    pending = Array(String(String.UnicodeScalarView(scalars)).utf8) + pending
    lines = cells.map { $0.joined() }
  }

  private static func whole(_ bytes: [UInt8]) -> (String, [UInt8])? {
    for cut in 0...min(3, bytes.count) {
      if let text = String(validating: bytes.dropLast(cut), as: UTF8.self) { return (text, bytes.suffix(cut)) }
    }
    return nil
  }

  /// A control sequence: ESC, [, parameters and a letter.
  private static func sequence(_ scalars: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar>? {
    let start = scalars.startIndex
    guard let end = scalars.dropFirst(2).firstIndex(where: { $0.properties.isAlphabetic }) else { return nil }
    return scalars[start...end]
  }

  private mutating func control(_ sequence: String) {
    switch sequence {
    case "[K": cells[row].removeLast(max(cells[row].count - column, 0))
    case "[J":
      cells[row].removeLast(max(cells[row].count - column, 0))
      cells.removeLast(cells.count - row - 1)
    case "[?25l": isCursorHidden = true
    case "[?25h": isCursorHidden = false
    case _ where sequence.hasSuffix("m"): break
    default: unknown.append(sequence)
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\r": column = 0
    case "\n":
      row += 1
      if row == cells.count { cells.append([]) }
    case "\u{300}"..."\u{36F}":
      if column > 0, column <= cells[row].count { cells[row][column - 1].unicodeScalars.append(scalar) }
    case _ where scalar.value < 0x20: break
    default: put(scalar, width: ("\u{2E80}"..."\u{D7A3}").contains(scalar) ? 2 : 1)
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar, width: Int) {
    if column + width > columns {
      column = 0
      put("\n" as Unicode.Scalar)
    }
    while cells[row].count < column + width { cells[row].append(" ") }
    cells[row][column] = String(scalar)
    if width == 2 { cells[row][column + 1] = "" }
    column += width
    if column == columns { fullLines += 1 }
  }
}
