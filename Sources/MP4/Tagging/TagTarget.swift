internal import MediaCore

/// Which tags a change is about.
enum TagTarget: Sendable, Hashable {
  /// All that have this common name, however they are written.
  case name(String)
  /// Those with this identifier.
  case identifier(String)

  /// - Throws: `TagError` `.unknownName`.
  init(_ text: String) throws(TagError) {
    if let name = TagNames.common(text) {
      self = .name(name)
    } else if TagTarget.isIdentifier(text) {
      self = .identifier(text)
    } else {
      throw TagError(.unknownName, name: text)
    }
  }

  private static func isIdentifier(_ text: String) -> Bool {
    if let colon = text.firstIndex(of: ":") {
      return colon > text.startIndex && text.index(after: colon) < text.endIndex
    }
    if let type = FourCC(text) { return TagNames.isKnown(type) && type != "covr" }
    // A QuickTime key is a domain, backwards.
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { !$0.isEmpty }
  }

  /// The identifier that it is written with.
  var identifier: String {
    switch self {
    case .name(let name): TagNames.identifier(name)
    case .identifier(let identifier): identifier
    }
  }

  /// Whether it is written as a QuickTime key.
  var isKey: Bool { identifier.contains(".") && !identifier.contains(":") }

  /// Whether a tag in a file is one of those.
  func matches(_ identifier: String) -> Bool {
    switch self {
    case .name(let name): TagNames.name(identifier) == name
    case .identifier(let own): own == identifier
    }
  }
}

/// Which values each non-text item accepts, and how messages describe them.
enum TagValue {
  static let text = "a text"

  /// Whether it may have several values.
  static func isText(_ target: TagTarget) -> Bool {
    guard let type = FourCC(target.identifier) else { return true }
    return MetadataBuilder.numberWidths[type] == nil && !["trkn", "disk", "gnre"].contains(type)
  }

  /// A value as it is written, from the words that people use.
  ///
  /// - Throws: `TagError` `.badValue`.
  static func checked(_ value: String, of target: TagTarget, name: String) throws(TagError) -> String {
    guard !value.isEmpty else { throw TagError(.badValue("", wants: wants(target)), name: name) }
    guard let type = FourCC(target.identifier) else { return value }
    let isGood: Bool
    switch type {
    case "trkn", "disk":
      let numbers = value.split(separator: "/", omittingEmptySubsequences: false).map { UInt16($0) }
      isGood = (1...2).contains(numbers.count) && !numbers.contains(nil)
    case "gnre": isGood = MusicGenre.item(of: value) != nil || UInt16(value) != nil
    default:
      guard let width = MetadataBuilder.numberWidths[type] else { return value }
      let word = words(type)[value.lowercased()]
      if let word { return "\(word)" }
      isGood = Int64(value).map { holds($0, bytes: width) } ?? false
    }
    guard isGood else { throw TagError(.badValue(value, wants: wants(target)), name: name) }
    return value
  }

  /// Whether a signed number fits.
  static func holds(_ number: Int64, bytes: Int) -> Bool {
    let unused = Int64.bitWidth - bytes * 8
    return (number << unused) >> unused == number
  }

  /// What a tag holds, in words.
  static func wants(_ target: TagTarget) -> String {
    guard let type = FourCC(target.identifier) else { return text }
    switch type {
    case "trkn", "disk": return "a number up to 65535, or a number and a total: 3/12"
    case "gnre": return "the name of a genre, or its number"
    default:
      guard let width = MetadataBuilder.numberWidths[type] else { return text }
      let words = words(type).sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
      let number = "a number of \(width * 8) bits"
      return words.isEmpty ? number : "\(number), or one of \(words.joined(separator: ", "))"
    }
  }

  /// Words for numbers. Source: the values that iTunes writes.
  private static func words(_ type: FourCC) -> [String: Int] {
    switch type {
    case "cpil", "pgap", "pcst", "shwm": ["no": 0, "yes": 1]
    case "hdvd": ["no": 0, "720p": 1, "1080p": 2, "4k": 3]
    case "rtng": ["none": 0, "explicit": 1, "clean": 2]
    case "stik":
      [
        "music": 1, "audiobook": 2, "music video": 6, "movie": 9, "tv show": 10, "booklet": 11, "ringtone": 14,
        "podcast": 21,
      ]
    default: [:]
    }
  }
}
