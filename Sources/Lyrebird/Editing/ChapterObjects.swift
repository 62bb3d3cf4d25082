internal import MediaCore

/// Finds the chapters in JSON: the objects in an array named `chapters`, or in one that is not in anything else. Besides
/// lists as this library writes them, these are the chapters of podcasts (`startTime`), and what ffprobe prints
/// (`start_time` beside a `start` in ticks; the title is in `tags`).
struct ChapterObjects {
  // Scalars and not characters: a title that begins with a combining mark makes one character with the quote before it.
  private var rest: Substring.UnicodeScalarView
  private var chapters: [Chapter] = []
  /// Arrays and objects that have not ended yet, from the outside in.
  private var open: [Container] = []

  private struct Container {
    let isArray: Bool
    /// Whether each object in it is a chapter.
    var holdsChapters = false
    /// Whether it is a chapter.
    var isChapter = false
    var start: MediaTime?
    /// Counts instead of `start`, if it is there.
    var startTime: MediaTime?
    var title: String?
    /// Whether there is a beginning that is no time.
    var isWrong = false
  }

  init(_ text: String) { rest = text[...].unicodeScalars }

  /// - Throws: `ChapterListError` `.unknown` for what is not JSON.
  mutating func read() throws(ChapterListError) -> [Chapter] {
    var key: String?
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"":
        guard let text = string() else { throw ChapterListError(.unknown) }
        let after = rest.drop(while: \.properties.isWhitespace)
        if after.first == ":" {
          rest = after.dropFirst()
          key = text
        } else {
          note(key, text, ChapterList.time(text[...]))
          key = nil
        }
      case "-", "0"..."9":
        let more = rest.prefix { ("0"..."9").contains($0) || "+-.eE".unicodeScalars.contains($0) }
        rest = rest.dropFirst(more.count)
        note(key, nil, ChapterObjects.time(String(scalar) + String(more)))
        key = nil
      case "[":
        open.append(Container(isArray: true, holdsChapters: open.isEmpty || key == "chapters"))
        key = nil
      case "{":
        open.append(Container(isArray: false, isChapter: open.last?.holdsChapters ?? false))
        key = nil
      case "]", "}": try close(isArray: scalar == "]")
      default: break
      }
    }
    guard open.isEmpty else { throw ChapterListError(.unknown) }
    return chapters
  }

  private mutating func note(_ key: String?, _ text: String?, _ time: MediaTime?) {
    guard let key, !open.isEmpty else { return }
    if ["start", "startTime", "start_time"].contains(key), time == nil { open[open.count - 1].isWrong = true }
    switch key {
    case "title": open[open.count - 1].title = text
    case "start": open[open.count - 1].start = time
    case "startTime", "start_time": open[open.count - 1].startTime = time
    default: break
    }
  }

  private mutating func close(isArray: Bool) throws(ChapterListError) {
    guard let object = open.popLast(), object.isArray == isArray else {
      throw ChapterListError(.unknown)
    }
    if object.isChapter {
      guard !object.isWrong, let start = object.startTime ?? object.start else {
        throw ChapterListError(.noTime)
      }
      chapters.append(Chapter(start: start, title: object.title ?? ""))
    } else if let title = object.title, let outer = open.last, outer.title == nil {
      open[open.count - 1].title = title
    }
  }

  /// Seconds; none are below 0.
  private static func time(_ token: String) -> MediaTime? {
    if let time = ChapterList.time(token[...]) { return time }
    guard let seconds = Double(token), seconds < Double(ChapterList.latest) else { return nil }
    return MediaTime(value: Int64((max(seconds, 0) * 1_000_000).rounded()), timescale: 1_000_000)
  }

  /// The rest of a string, after its first quote; `nil` if it does not end.
  private mutating func string() -> String? {
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(text)
      case "\\":
        switch rest.popFirst() {
        case "n": text.append("\n")
        case "t": text.append("\t")
        case "r", "b", "f": text.append(" ")
        case "u": text.append(escaped())
        case let other?: text.append(other)
        case nil: return nil
        }
      default: text.append(scalar)
      }
    }
    return nil
  }

  /// The character of `\u`, which two of them describe where it is beyond 16 bits (RFC 8259, 7).
  private mutating func escaped() -> Unicode.Scalar {
    guard let first = unit() else { return "\u{FFFD}" }
    if UTF16.isLeadSurrogate(first), rest.starts(with: "\\u".unicodeScalars) {
      let before = rest
      rest = rest.dropFirst(2)
      if let second = unit(), UTF16.isTrailSurrogate(second) {
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
      }
      rest = before
    }
    return Unicode.Scalar(first) ?? "\u{FFFD}"
  }

  /// Four hexadecimal digits.
  private mutating func unit() -> UInt16? {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(digits.count)
    return digits.allSatisfy(\.properties.isASCIIHexDigit) ? UInt16(String(digits), radix: 16) : nil
  }
}
