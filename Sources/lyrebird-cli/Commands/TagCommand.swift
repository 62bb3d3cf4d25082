internal import ArgumentParser
internal import Lyrebird

struct TagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag",
    abstract: "Show or change the tags of a movie, in place.",
    discussion: """
      Without changes, shows the tags (also of WAVE, AIFF, CAF and .aac). Tags that you do not name stay as they are, \
      byte for byte. New ones are written into the free space beside the index. If there is too little, ext4 inserts \
      room within milliseconds; elsewhere a new file replaces the old one. Even if it is interrupted, the file is a \
      complete movie.

      A tag is named by its common name, the four characters of an iTunes item, a domain and a name, or a QuickTime key.

      EXAMPLES:
        lyrebird tag song.m4a
        lyrebird tag song.m4a --title Dawn --artist 'The Lyrebirds' --track 3/12
        lyrebird tag song.m4a --cover front.jpg
        lyrebird tag book.m4b --set 'media kind=audiobook' --set narrator='A. Reader'
        lyrebird tag song.m4a --artist One --artist Two --add genre=Folk
        lyrebird tag song.m4a --set com.apple.iTunes:ISRC=XX1234567890
        lyrebird tag song.m4a --remove comment --remove cover
        lyrebird tag clip.mov --remove-all --creation-time 2026-11-23 --dry-run

      COMMON NAMES:
        \(Text.wrapped(MovieMetadata.Tag.commonNames.map(\.name)))
      """)

  @Argument(help: "The movie to change, or the file to show.", completion: .file())
  var file: String

  @OptionGroup(title: "Common tags") var tags: TagOptions

  @Option(help: ArgumentHelp("Give any tag a value; repeat it for several values.", valueName: "key=value"))
  var set: [TagAssignment] = []

  @Option(help: ArgumentHelp("Give a tag one more value.", valueName: "key=value"))
  var add: [TagAssignment] = []

  @Option(help: ArgumentHelp("Remove a tag, or 'cover'.", valueName: "key"))
  var remove: [String] = []

  @Flag(help: "Remove all tags and covers first. Chapters stay.")
  var removeAll = false

  @Option(
    help: "Replace the covers with this picture: JPEG, PNG or BMP; may be given several times.",
    completion: .file())
  var cover: [String] = []

  @Option(help: "Add this picture to the covers.", completion: .file())
  var addCover: [String] = []

  @Option(help: ArgumentHelp("When the movie was made, in UTC: 2026-11-23 or 2026-11-23T09:30:00Z.", valueName: "time"))
  var creationTime: CreationTime?

  @Flag(help: "Say what would be done, and change nothing.")
  var dryRun = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let changes = try changes()
    guard !changes.isEmpty else { return try show() }
    try checkKind()
    if dryRun { return try report(try Tagger(path: file).plan(changes)) }
    var progress = Progress("tag")
    let summary = try Tagger(path: file).run(changes) { done, total in
      try progress.update(done, of: total, bytes: done)
    }
    progress.clear()
    try report(summary)
  }

  /// - Throws: `Failure` for standard input, and for an AAC stream or a PCM file, whose tags can only be shown.
  private func checkKind() throws {
    try OutputFile.checkIsFile(file, what: "tags can only be changed")
    let kind =
      switch try SoundFileType(SourceReader(try FileSource(path: file))) {
      case .movie: ""
      case .pcm: "WAVE, AIFF and CAF"
      case .adts, .loas: "an AAC stream"
      }
    guard !kind.isEmpty else { return }
    throw Failure(
      status: .badData,
      "\(file): the tags of \(kind) are only shown; `lyrebird encode IN OUT.m4a` makes a file whose tags can be changed"
    )
  }

  // MARK: Changes

  private func changes() throws -> TagChanges {
    var changes = TagChanges()
    do {
      if removeAll { changes.removeAll() }
      for name in remove {
        if name.lowercased() == "cover" { try changes.setCovers([]) } else { try changes.remove(name) }
      }
      for (name, values) in tags.values { try changes.set(name, to: values) }
      for (name, values) in grouped(set) { try changes.set(name, to: values) }
      for tag in add { try changes.add(tag.name, tag.value) }
      if !cover.isEmpty { try changes.setCovers(try cover.map { try TagCommand.picture($0) }) }
      for path in addCover { try changes.addCover(try TagCommand.picture(path)) }
      if let creationTime { try changes.setCreationTime(creationTime.seconds) }
    } catch let error as TagError {
      throw TagCommand.failure(error)
    }
    return changes
  }

  /// The values of each name, in the order of the names.
  private func grouped(_ tags: [TagAssignment]) -> [(String, [String])] {
    var groups: [(name: String, values: [String])] = []
    for tag in tags {
      if let index = groups.firstIndex(where: { $0.name == tag.name }) {
        groups[index].values.append(tag.value)
      } else {
        groups.append((tag.name, [tag.value]))
      }
    }
    return groups
  }

  /// The largest picture that is taken, in bytes: the index is in memory meanwhile.
  private static let maximumPicture = 64 << 20

  private static func picture(_ path: String) throws -> MovieMetadata.Artwork {
    let reader = try InputFile.reader(path)
    let bytes = try reader.bytes(at: 0, count: maximumPicture + 1)
    guard bytes.count <= maximumPicture else {
      throw Failure(
        status: .badData, "\(path): more than \(Text.bytes(UInt64(maximumPicture))), which is too much for a cover")
    }
    let picture = MovieMetadata.Artwork(bytes)
    if picture.format == "unknown" { throw Failure(TagError(.notAPicture, name: path)) }
    return picture
  }

  private static func failure(_ error: TagError) -> Failure {
    guard error.code == .unknownName else { return Failure(error) }
    let names = MovieMetadata.Tag.commonNames.map { $0.name.lowercased() } + ["cover"]
    let plain = String(error.name.lowercased().map { $0 == "-" || $0 == "_" ? " " : $0 })
    if ["cover", "covers", "covr", "artwork", "picture"].contains(plain) {
      return Failure(
        status: .usage, "a cover is not text: give a picture to --cover or --add-cover, or use --remove cover")
    }
    let hint = Suggestion.nearest(to: plain, among: names).map { "did you mean '\($0)'?" }
    return Failure(status: .usage, error.message(suggestion: hint))
  }

  // MARK: Results

  private func show() throws {
    let description = try InfoCommand.description(of: file)
    let output = Output()
    if json {
      var object = JSONObject()
      object.add("file", file)
      if let time = description.creationTime { object.add("creation_time", Text.date(time)) }
      description.metadata.add(to: &object)
      try output.line(object.text)
    } else {
      for tag in description.metadata.tags {
        let name = Text.printable(tag.name)
        let value = Text.printable(tag.value, onOneLine: true)
        try output.line(name + String(repeating: " ", count: max(1, 20 - name.count)) + value)
      }
      for picture in description.metadata.artwork {
        try output.line("cover               \(picture.format), \(Text.bytes(UInt64(picture.data.count)))")
      }
      if let time = description.creationTime { try output.line("created             \(Text.date(time))") }
    }
    try output.flush()
    try Interrupt.checkFinished("the list of tags")
  }

  private func report(_ summary: Tagger.Summary) throws {
    if json {
      var object = JSONObject()
      object.add("file", file)
      object.add("outcome", TagCommand.word(summary.method))
      if case .inserted(let bytes) = summary.method { object.add("inserted_bytes", bytes) }
      object.add("size", summary.size)
      object.add("padding", summary.padding)
      object.add("dry_run", dryRun)
      return try Output.result(object)
    }
    let verb = dryRun ? "would be tagged" : "tagged"
    switch summary.method {
    case .unchanged: Messages.line("\(file): already has these tags")
    case .inPadding: Messages.line("\(file): \(verb) in place")
    case .atEnd: Messages.line("\(file): \(verb) in place, at its end")
    case .inserted(let bytes): Messages.line("\(file): \(verb) in place, \(Text.bytes(bytes)) inserted")
    case .rewritten: Messages.line("\(file): \(verb), \(dryRun ? "by rewriting the file" : "file rewritten")")
    }
  }

  private static func word(_ method: Tagger.Method) -> String {
    switch method {
    case .unchanged: "unchanged"
    case .inPadding: "in_padding"
    case .atEnd: "at_end"
    case .inserted: "inserted"
    case .rewritten: "rewritten"
    }
  }
}

extension Text {
  /// Words with commas between them, in lines for a discussion.
  fileprivate static func wrapped(_ words: [String]) -> String {
    var (text, width) = ("", 0)
    for (index, word) in words.enumerated() {
      let item = index + 1 < words.count ? word + "," : word
      if width > 0, width + item.count > 70 {
        text += "\n  "
        width = 0
      }
      text += (width > 0 ? " " : "") + item
      width += item.count + 1
    }
    return text
  }
}
