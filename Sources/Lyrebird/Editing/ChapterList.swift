public import MediaCore

/// Lists of chapters as text: what people edit, and other programs exchange.
public enum ChapterList: String, Sendable, CaseIterable {
  /// A line for each: `00:01:02.500 Title`, as mp4chaps has it.
  case text
  /// ffmpeg's metadata file, of which only the chapters count.
  case ffmetadata
  /// WebVTT, with a cue for each chapter: what web pages take as a track of chapters.
  case webvtt
  /// An array of objects with `start`, in seconds, and `title`.
  case json

  /// The kind of list that a name is for, by its extension; `nil` if that says nothing.
  public init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return nil }
    switch name[name.index(after: point)...].lowercased() {
    case "txt", "chapters": self = .text
    case "ffmetadata", "ffmeta", "ini": self = .ffmetadata
    case "vtt": self = .webvtt
    case "json": self = .json
    default: return nil
    }
  }

  /// Writes a list.
  ///
  /// - Parameters:
  ///   - chapters: in their order.
  ///   - duration: how long the movie is, where its last chapter ends.
  public func written(_ chapters: [Chapter], duration: MediaTime) -> String {
    let ends = chapters.dropFirst().map(\.start) + [max(duration, chapters.last?.start ?? .zero)]
    let rows = zip(chapters, ends).map { (chapter: $0, end: $1) }
    switch self {
    case .text:
      return rows.map { "\(ChapterList.clock($0.chapter.start)) \(ChapterList.line($0.chapter.title))\n" }.joined()
    case .ffmetadata:
      return ";FFMETADATA1\n"
        + rows.map { row in
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(ChapterList.milliseconds(row.chapter.start))\n"
            + "END=\(ChapterList.milliseconds(row.end))\ntitle=\(ChapterList.escaped(row.chapter.title))\n"
        }.joined()
    case .webvtt:
      return "WEBVTT\n"
        + rows.map { row in
          "\n\(ChapterList.clock(row.chapter.start)) --> \(ChapterList.clock(row.end))\n"
            + "\(ChapterList.markup(row.chapter.title))\n"
        }.joined()
    case .json:
      let objects = rows.map { row in
        "{\"start\":\(ChapterList.seconds(row.chapter.start)),\"title\":\(ChapterList.quoted(row.chapter.title))}"
      }
      return objects.isEmpty ? "[]\n" : "[\n" + objects.joined(separator: ",\n") + "\n]\n"
    }
  }

  // MARK: Times

  private static func milliseconds(_ time: MediaTime) -> Int64 { max(time.since(.zero, in: 1000).value, 0) }

  /// `01:02:03.500`
  private static func clock(_ time: MediaTime) -> String {
    let value = milliseconds(time)
    func digits(_ number: Int64, _ count: Int) -> String { "\(number)".zeroPadded(to: count) }
    return "\(digits(value / 3_600_000, 2)):\(digits(value / 60_000 % 60, 2)):\(digits(value / 1000 % 60, 2))"
      + ".\(digits(value % 1000, 3))"
  }

  /// `62.5`
  private static func seconds(_ time: MediaTime) -> String {
    let value = milliseconds(time)
    let text = "\(value / 1000)"
    let rest = "\(1000 + value % 1000)".dropFirst()
    return value % 1000 == 0 ? text : "\(text).\(rest)"
  }

  // MARK: Titles

  /// On one line.
  private static func line(_ title: String) -> String {
    title.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func escaped(_ title: String) -> String {
    var text = ""
    for character in title {
      // As a line feed: a carriage return at the end would make one with the end of the line.
      guard !character.isNewline else {
        text += "\\\n"
        continue
      }
      // One by one, as a mark may be combined with what has to be escaped.
      for scalar in character.unicodeScalars {
        if "=;#\\".unicodeScalars.contains(scalar) { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func markup(_ title: String) -> String {
    line(title).unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func quoted(_ title: String) -> String {
    var text = "\""
    for scalar in title.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case _ where scalar.value < 32:
        text += "\\u" + String(scalar.value, radix: 16).zeroPadded(to: 4)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
