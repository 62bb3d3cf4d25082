internal import ArgumentParser
internal import Lyrebird

/// The tags that most people change, as options of their own. Given twice, a tag gets two values.
struct TagOptions: ParsableArguments {
  @Option(help: "The title.") var title: [String] = []
  @Option(help: "The artist or speaker.") var artist: [String] = []
  @Option(help: "The album.") var album: [String] = []
  @Option(help: "The album artist.") var albumArtist: [String] = []
  @Option(help: "The composer.") var composer: [String] = []
  @Option(help: "The genre, in words.") var genre: [String] = []
  @Option(help: "The date of release: 2026 or 2026-11-23.") var date: [String] = []
  @Option(help: "Track number: 3 or 3/12.") var track: [String] = []
  @Option(help: "Disc number: 1 or 1/2.") var disc: [String] = []
  @Option(help: "A comment.") var comment: [String] = []
  @Option(help: "A short description.") var description: [String] = []
  @Option(help: "A long description.") var longDescription: [String] = []
  @Option(help: "The lyrics.") var lyrics: [String] = []
  @Option(help: "The copyright notice.") var copyright: [String] = []
  @Option(help: "The TV show.") var show: [String] = []
  @Option(help: "The number of the season.") var season: [String] = []
  @Option(help: "The number of the episode.") var episode: [String] = []
  @Option(help: "The title to sort by.") var sortTitle: [String] = []
  @Option(help: "The artist to sort by.") var sortArtist: [String] = []
  @Option(help: "The album to sort by.") var sortAlbum: [String] = []

  /// Names and values, of those that were given.
  var values: [(name: String, values: [String])] {
    [
      ("title", title), ("artist", artist), ("album", album), ("album artist", albumArtist), ("composer", composer),
      ("genre", genre), ("date", date), ("track", track), ("disc", disc), ("comment", comment),
      ("description", description), ("long description", longDescription), ("lyrics", lyrics),
      ("copyright", copyright), ("show", show), ("season", season), ("episode", episode), ("sort title", sortTitle),
      ("sort artist", sortArtist), ("sort album", sortAlbum),
    ].filter { !$0.1.isEmpty }
  }
}

/// A tag and its value as people write them: `KEY=VALUE`.
struct TagAssignment: ExpressibleByArgument {
  let name: String
  let value: String

  /// - Returns: `nil` without a name or an equals sign.
  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
    name = String(argument[..<sign])
    value = String(argument[argument.index(after: sign)...])
  }
}

/// A time of creation as people write it: `2026-11-23`, `2026-11-23T09:30:00Z`, in UTC.
struct CreationTime: ExpressibleByArgument {
  /// Since the start of 1970.
  let seconds: Int64

  /// - Returns: `nil` for anything but a date from 1970 to 9999, and a time of day if there is one.
  init?(argument: String) {
    let text = argument.hasSuffix("Z") ? argument.dropLast() : argument[...]
    let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    guard let day = CreationTime.numbers(halves[0], "-", widths: [4, 2, 2]) else { return nil }
    guard (1970...9999).contains(day[0]), (1...12).contains(day[1]), day[2] >= 1,
      day[2] <= CreationTime.days(inMonth: day[1], of: day[0])
    else { return nil }
    var time: [Int64] = [0, 0, 0]
    if halves.count > 1 {
      guard let given = CreationTime.numbers(halves[1], ":", widths: [2, 2, 2]), given[0] < 24, given[1] < 60,
        given[2] < 60
      else { return nil }
      time = given
    }
    var days: Int64 = 0
    for year in 1970..<day[0] { days += CreationTime.isLeap(year) ? 366 : 365 }
    for month in 1..<day[1] { days += CreationTime.days(inMonth: month, of: day[0]) }
    seconds = (days + day[2] - 1) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }

  private static func numbers(_ text: Substring, _ separator: Character, widths: [Int]) -> [Int64]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == widths.count else { return nil }
    var numbers: [Int64] = []
    for (part, width) in zip(parts, widths) {
      guard part.utf8.count == width, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(part)
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
