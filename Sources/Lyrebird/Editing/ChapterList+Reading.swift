internal import MediaCore

extension ChapterList {
  /// Reads a list of any kind, which its beginning shows.
  ///
  /// - Returns: the chapters in the order of their beginnings.
  /// - Throws: `ChapterListError`.
  public static func read(_ text: String) throws(ChapterListError) -> [Chapter] {
    var text = text
    if text.first == "\u{FEFF}" { text.removeFirst() }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let first = text.first { !$0.isWhitespace }
    let chapters: [Chapter]
    if text.hasPrefix(";FFMETADATA") {
      chapters = try readMetadata(lines)
    } else if text.hasPrefix("WEBVTT") {
      chapters = try readCues(lines)
    } else if first == "[" || first == "{" {
      var objects = ChapterObjects(text)
      chapters = try objects.read()
    } else {
      chapters = try readLines(lines)
    }
    guard !chapters.isEmpty else { throw ChapterListError(.empty) }
    // Also after it was rounded to milliseconds, to be written.
    guard chapters.allSatisfy({ $0.start < MediaTime(value: latest * 1000 - 1, timescale: 1000) }) else {
      throw ChapterListError(.noTime)
    }
    return chapters.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  /// The limit of times, in seconds: thirty years.
  static let latest: Int64 = 1_000_000_000

  private static func readLines(_ lines: [Substring]) throws(ChapterListError) -> [Chapter] {
    var chapters: [Chapter] = []
    for (index, line) in lines.enumerated() {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      let end = line.unicodeScalars.firstIndex(where: \.properties.isWhitespace) ?? line.endIndex
      guard let start = time(line[..<end]) else {
        throw ChapterListError(chapters.isEmpty ? .unknown : .noTime, line: index + 1)
      }
      chapters.append(Chapter(start: start, title: String(line[end...].trimmed)))
    }
    return chapters
  }

  private static func readMetadata(_ lines: [Substring]) throws(ChapterListError) -> [Chapter] {
    var chapters: [Chapter] = []
    // The line of the section, if it is a chapter.
    var section: Int?
    // ffmpeg counts nanoseconds where no time base is given.
    let usual = MediaTime(value: 1, timescale: 1_000_000_000)
    var (base, start, title) = (usual as MediaTime?, nil as Int64?, "")
    func end() throws(ChapterListError) {
      guard let section else { return }
      guard let base, base.value > 0, let start,
        case (let value, false) = start.multipliedReportingOverflow(by: base.value)
      else { throw ChapterListError(.noTime, line: section) }
      let time = MediaTime(value: value, timescale: base.timescale)
      chapters.append(Chapter(start: max(time, .zero), title: title))
    }
    // A backslash at the end of a line takes the next one with it.
    var rest = lines[...]
    while var line = rest.popFirst() {
      let number = rest.startIndex
      while hasOpenEscape(line), let next = rest.popFirst() { line += "\n" + next }
      if line.hasPrefix("[") {
        try end()
        (section, base, start, title) = (line.hasPrefix("[CHAPTER]") ? number : nil, usual, nil, "")
        continue
      }
      guard let equal = line.unicodeScalars.firstIndex(of: "=") else { continue }
      let value = line[line.unicodeScalars.index(after: equal)...]
      switch line[..<equal] {
      case "TIMEBASE":
        let parts = value.split(separator: "/")
        base = nil
        if parts.count == 2, let count = Int64(parts[0]), let scale = UInt32(parts[1]), scale > 0 {
          base = MediaTime(value: count, timescale: scale)
        }
      case "START": start = Int64(value)
      case "title": title = unescaped(value)
      default: break
      }
    }
    try end()
    return chapters
  }

  /// Whether a line ends with an odd number of backslashes.
  private static func hasOpenEscape(_ line: Substring) -> Bool {
    !line.reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2)
  }

  private static func unescaped(_ text: Substring) -> String {
    var (result, isEscaped) = (String.UnicodeScalarView(), false)
    for scalar in text.unicodeScalars {
      if scalar == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(scalar)
        isEscaped = false
      }
    }
    return String(result)
  }

  private static func readCues(_ lines: [Substring]) throws(ChapterListError) -> [Chapter] {
    var chapters: [Chapter] = []
    var index = 1
    while index < lines.count {
      defer { index += 1 }
      guard let arrow = lines[index].firstRange(of: "-->") else { continue }
      guard let start = time(lines[index][..<arrow.lowerBound].trimmed) else {
        throw ChapterListError(.noTime, line: index + 1)
      }
      var title: [Substring] = []
      while index + 1 < lines.count, !lines[index + 1].trimmed.isEmpty {
        index += 1
        title.append(lines[index].trimmed)
      }
      chapters.append(Chapter(start: start, title: plain(title.joined(separator: " "))))
    }
    return chapters
  }

  /// Text without the tags and references of WebVTT.
  private static func plain(_ text: String) -> String {
    let references: [(name: String, scalar: Unicode.Scalar)] = [
      ("lt;", "<"), ("gt;", ">"), ("nbsp;", " "), ("amp;", "&"),
    ]
    var (result, isTag) = (String.UnicodeScalarView(), false)
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "<" {
        isTag = true
      } else if scalar == ">", isTag {
        isTag = false
      } else if !isTag {
        let reference = scalar == "&" ? references.first { rest.starts(with: $0.name.unicodeScalars) } : nil
        rest = rest.dropFirst(reference?.name.unicodeScalars.count ?? 0)
        result.append(reference?.scalar ?? scalar)
      }
    }
    return String(result)
  }

  /// A time: `01:02:03.5`, `2:03`, `12.5`; a comma does for the point.
  static func time(_ text: Substring) -> MediaTime? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(fields.count), let last = fields.last else { return nil }
    let parts = last.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard parts.count <= 2 else { return nil }
    var seconds: Int64 = 0
    for field in fields.dropLast() + [parts[0]] {
      guard let value = digits(field), value < latest else { return nil }
      seconds = seconds * 60 + value
    }
    guard seconds < latest else { return nil }
    let fraction = parts.count == 2 ? parts[1].prefix(9) : "0"
    guard let value = digits(fraction) else { return nil }
    let scale = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000] as [Int64]
    return MediaTime(value: seconds * 1_000_000 + value * 1_000_000 / scale[fraction.count], timescale: 1_000_000)
  }

  private static func digits(_ text: Substring) -> Int64? {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }
}

extension Substring {
  /// Without white space at its ends. A mark that is combined with a space stays.
  fileprivate var trimmed: Substring {
    var text = unicodeScalars.drop(while: \.properties.isWhitespace)
    while text.last?.properties.isWhitespace == true { text.removeLast() }
    return Substring(text)
  }
}

extension String {
  fileprivate var trimmed: Substring { self[...].trimmed }
}
