internal import ArgumentParser
internal import Lyrebird

/// The names of numbered files: `part-%02d.m4a`, as in `printf`; `%s` is the title of a chapter.
struct NamePattern: ExpressibleByArgument {
  /// What a name consists of.
  private enum Piece {
    case text(String)
    /// The number, with at least so many digits.
    case number(digits: Int)
    case title
  }

  private var pieces: [Piece] = []
  /// As given.
  let text: String

  /// - Returns: `nil` where a `%` is followed by something else.
  init?(argument: String) {
    text = argument
    var rest = argument[...]
    while let percent = rest.firstIndex(of: "%") {
      pieces.append(.text(String(rest[..<percent])))
      rest = rest[rest.index(after: percent)...]
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      switch rest.popFirst() {
      case "d" where digits.count <= 2: pieces.append(.number(digits: Int(digits) ?? 1))
      case "s" where digits.isEmpty: pieces.append(.title)
      case "%" where digits.isEmpty: pieces.append(.text("%"))
      default: return nil
      }
    }
    pieces.append(.text(String(rest)))
  }

  /// Whether each number makes another name.
  var isNumbered: Bool { pieces.contains { if case .number = $0 { true } else { false } } }

  /// Whether titles are in the names.
  var hasTitle: Bool { pieces.contains { if case .title = $0 { true } else { false } } }

  /// The name of a file.
  ///
  /// - Parameters:
  ///   - number: its number, from 1.
  ///   - title: its title; the number if it has none. What would make it another folder or a hidden file is replaced.
  func name(_ number: Int, title: String?) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .number(let digits): "\(number)".zeroPadded(to: digits)
      case .title: title.map(NamePattern.safe) ?? "\(number)"
      }
    }.joined()
  }

  /// Bytes of a title in a name at most: a name may have 255 in all.
  private static let longestTitle = 180

  private static func safe(_ title: String) -> String {
    var name = ""
    for character in title {
      let isUnsafe = character == "/" || character.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
      name.append(isUnsafe ? "_" : character)
      if name.utf8.count > longestTitle {
        name.removeLast()
        break
      }
    }
    return name.isEmpty || name.hasPrefix(".") ? "_" + name : name
  }
}
