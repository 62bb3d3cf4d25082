public import MP4
public import PCM

extension MovieMetadata {
  /// The tags of a file of PCM as a movie has them: title, artist, album, date and their kin. Of several that say the
  /// same the first is taken; what movies have no place for, and what program wrote the file, is left out.
  public init(_ tags: [PCMFileTag]) {
    self.init()
    var seen: Set<String> = []
    // What a recorder filled in by itself comes last: it is usually the name of a device.
    for tag in tags.filter({ !$0.identifier.hasPrefix("bext:") }) + tags.filter({ $0.identifier.hasPrefix("bext:") }) {
      guard
        let name = MovieMetadata.names[tag.identifier] ?? MovieMetadata.names[tag.identifier.lowercased()],
        let value = MovieMetadata.value(tag.value, of: name), seen.insert(name).inserted
      else { continue }
      self.tags.append(Tag(name, value))
    }
  }

  /// A value in the form that its tag has; `nil` if it cannot be.
  private static func value(_ text: String, of name: String) -> String? {
    switch name {
    case "track", "disc":
      let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt16($0) }
      return (1...2).contains(numbers.count) && !numbers.contains(nil) ? text : nil
    case "tempo": return UInt16(text).map { "\($0)" }
    case "genre":
      // "(17)Rock": a number, and what it stands for.
      guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return text }
      let rest = text[text.index(after: end)...]
      return rest.isEmpty ? nil : String(rest)
    default: return text
    }
  }

  /// Names of movies' tags by those of WAVE's `INFO`, AIFF, ID3 2.3 and 2.4, ID3 2.2, and CAF.
  private static let names: [String: String] = [
    "INAM": "title", "NAME": "title", "TIT2": "title", "TT2": "title", "title": "title",
    "IART": "artist", "AUTH": "artist", "TPE1": "artist", "TP1": "artist", "artist": "artist",
    "IPRD": "album", "TALB": "album", "TAL": "album", "album": "album",
    "TPE2": "album artist", "TP2": "album artist", "album_artist": "album artist",
    "ICRD": "date", "TDRC": "date", "TYER": "date", "TYE": "date", "year": "date", "date": "date",
    "recorded date": "date", "bext:OriginationDate": "date",
    "IGNR": "genre", "TCON": "genre", "TCO": "genre", "genre": "genre",
    "ITRK": "track", "IPRT": "track", "TRCK": "track", "TRK": "track", "track number": "track", "track": "track",
    "TPOS": "disc", "TPA": "disc", "disc": "disc",
    "ICMT": "comment", "ANNO": "comment", "COMM": "comment", "COM": "comment", "comments": "comment",
    "comment": "comment",
    "TCOM": "composer", "TCM": "composer", "IMUS": "composer", "composer": "composer",
    "TIT1": "grouping", "TT1": "grouping", "USLT": "lyrics", "ULT": "lyrics",
    "ICOP": "copyright", "(c) ": "copyright", "TCOP": "copyright", "TCR": "copyright", "copyright": "copyright",
    "ISBJ": "description", "bext:Description": "description", "TBPM": "tempo", "TBP": "tempo", "tempo": "tempo",
  ]
}
