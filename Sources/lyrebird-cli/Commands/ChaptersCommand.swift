internal import ArgumentParser
internal import Lyrebird

struct ChaptersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chapters",
    abstract: "Show the chapters of a movie, write them to a file, or read them from one.",
    discussion: """
      A list of chapters is plain text with a line for each (00:01:30.000 Title), ffmetadata, WebVTT or JSON. --export \
      goes by the name of the file; --import recognizes what it reads. --import and --remove write the movie to a \
      new file, which then replaces the old one; samples stay byte for byte.

      EXAMPLES:
        lyrebird chapters book.m4b                           show them
        lyrebird chapters book.m4b --export chapters.txt
        lyrebird chapters book.m4b --export - --format webvtt
        lyrebird chapters book.m4b --import chapters.txt
        lyrebird chapters book.m4b --remove
      """)

  @Argument(help: "The movie.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("Write the chapters to this file; - for standard output.", valueName: "file"),
    completion: .file())
  var export: String?

  @Option(help: "What kind of list to write. (default: what the name says, or text)")
  var format: Format?

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp("Replace the chapters with those in this file.", valueName: "file"), completion: .file())
  var list: String?

  @Flag(help: "Remove the chapters.")
  var remove = false

  @Flag(help: "Say what would be written, and write nothing.")
  var dryRun = false

  @OptionGroup var clobber: ClobberOptions

  @Flag(help: "Print the result as JSON, on standard error if the chapters go to standard output.")
  var json = false

  @OptionGroup var messages: MessageOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, ffmetadata, webvtt, json

    var list: ChapterList { ChapterList(rawValue: rawValue) ?? .text }
  }

  func validate() throws {
    if [export != nil, list != nil, remove].filter({ $0 }).count > 1 {
      throw ValidationError("--export, --import and --remove cannot be combined.")
    }
    if format != nil, export == nil { throw ValidationError("--format needs --export.") }
    if dryRun, list == nil, !remove { throw ValidationError("--dry-run needs --import or --remove.") }
    if clobber.noClobber, export == nil { throw ValidationError("--no-clobber needs --export.") }
  }

  func run() throws {
    if list != nil || remove { try OutputFile.checkIsFile(file, what: "chapters can only be changed") }
    if let export { try check(export) }
    let movie = try MediaInput.movie(path: file)
    if let list { return try replace(by: try ChaptersCommand.read(list), in: movie) }
    if remove { return try replace(by: [], in: movie) }
    let chapters = try movie.chapters()
    guard let export else { return try show(chapters) }
    let kind = format?.list ?? ChapterList(path: export) ?? .text
    let text = kind.written(chapters, duration: movie.duration)
    let isStandard = OutputFile.isStandardOutput(export)
    if isStandard {
      let output = Output()
      if !text.isEmpty { try output.line { $0 += Array(text.utf8.dropLast()) } }
      try output.flush()
    } else {
      let sink = try FileSink(path: export, clobber: !clobber.noClobber)
      try sink.write(Array(text.utf8))
      try sink.finish()
    }
    if json { return try Output.result(result(chapters), isTaken: isStandard) }
    if !isStandard { Messages.line("\(export): \(Text.count(chapters.count, "chapter"))") }
  }

  /// - Throws: `Failure` where the list would replace a movie, or get the name of one.
  private func check(_ export: String) throws(Failure) {
    guard !OutputFile.isStandardOutput(export) else { return }
    try OutputFile.checkIsNamed(export)
    try OutputFile.check(export, isNot: file)
    try OutputKinds.chapters.check(export)
  }

  private func show(_ chapters: [Chapter]) throws {
    if json { return try Output.result(result(chapters), isTaken: false) }
    if chapters.isEmpty { return Messages.line("\(InputFile.name(file)): no chapters") }
    let output = Output()
    for chapter in chapters { try output.line(Text.printable("\(Text.clock(chapter.start))  \(chapter.title)")) }
    try output.flush()
  }

  private func replace(by chapters: [Chapter], in movie: MP4Demuxer) throws {
    if movie.layout == .fragmented { throw Failure(MP4Error(.fragmentedMovie, file: file)) }
    for chapter in chapters where chapter.start >= movie.duration && movie.duration > .zero {
      let length = Text.clock(movie.duration)
      throw Failure(
        status: .badData,
        "\(file): \"\(chapter.title)\" begins at \(Text.clock(chapter.start)), but the movie is only \(length) long")
    }
    if !dryRun {
      var options = Remuxer.Options()
      options.chapters = chapters
      options.layout = movie.layout == .moovLast ? .moovLast : .fastStart
      var progress = Progress("chapters")
      let summary = try Remuxer(from: movie, to: file, options: options).run { done, total in
        try progress.update(done, of: total, bytes: done)
      }
      progress.clear()
      summary.warn(file: file)
    }
    if json { return try Output.result(result(chapters), isTaken: false) }
    Messages.line("\(file): \(Text.count(chapters.count, "chapter"))" + (dryRun ? ", not written" : ""))
  }

  /// The longest list that is read: no book has more chapters.
  private static let longestList = 4 << 20

  private static func read(_ path: String) throws -> [Chapter] {
    let reader = try InputFile.reader(path)
    let bytes = try reader.bytes(at: 0, count: longestList + 1)
    guard bytes.count <= longestList else {
      throw Failure(
        status: .badData,
        "\(InputFile.name(path)): more than \(Text.bytes(UInt64(longestList))), which is too much for a list of chapters"
      )
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(
        status: .badData, "\(InputFile.name(path)): not UTF-8, so titles would be changed; convert it first")
    }
    do throws(ChapterListError) {
      return try ChapterList.read(text)
    } catch {
      throw Failure(error, file: path)
    }
  }

  private func result(_ chapters: [Chapter]) -> JSONObject {
    var object = JSONObject()
    object.add("file", file)
    object.add(
      "chapters",
      chapters.map { chapter in
        var entry = JSONObject()
        entry.add("start", chapter.start.seconds)
        entry.add("title", chapter.title)
        return entry
      })
    return object
  }
}
