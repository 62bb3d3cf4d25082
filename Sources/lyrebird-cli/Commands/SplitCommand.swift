internal import ArgumentParser
internal import Lyrebird

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Divide a movie into files that follow one another, without re-encoding.",
    discussion: """
      Every frame of sound and every picture is in exactly one of the files. In the name of the output, \
      %d is the number of the file, from 1, %02d the same with two digits, and %s the title of the chapter.

      EXAMPLES:
        lyrebird split book.m4b "%02d %s.m4b" --by chapters
        lyrebird split talk.m4a part-%02d.m4a --every 10:00
        lyrebird split film.mp4 part-%d.mp4 --size 24M          none is larger
        lyrebird split tape.m4a song-%02d.m4a --silence         where it is quiet
        lyrebird split talk.m4a part-%d.m4a --every 1:00 --dry-run
      """)

  @Argument(help: "The movie to read.", completion: .file())
  var input: String

  @Argument(help: "The names of the files to write, such as part-%02d.m4a.", completion: .file())
  var output: NamePattern

  @Option(help: "Where to divide: chapters.")
  var by: Mark?

  @Option(help: "Divide after each stretch of this length: seconds or 10:00.")
  var every: TimeSpan?

  @Option(help: "Divide so that no file is larger than this: bytes, or megabytes as in 24M.")
  var size: ByteCount?

  @Flag(help: "Divide in the middle of each silence.")
  var silence = false

  @Option(help: "The shortest silence that counts, in seconds.")
  var quietFor = TimeSpan(seconds: 1)

  @Option(help: "What counts as silence: all samples below this level, in dB relative to full scale.")
  var below = -50.0

  @Flag(help: "Print what would be written, and write nothing.")
  var dryRun = false

  @OptionGroup var clobber: ClobberOptions

  @OptionGroup var movie: MovieOptions

  @OptionGroup var messages: MessageOptions

  enum Mark: String, ExpressibleByArgument, CaseIterable {
    case chapters
  }

  func validate() throws {
    guard [by != nil, every != nil, size != nil, silence].filter({ $0 }).count == 1 else {
      throw ValidationError("Say where to divide: --by chapters, --every, --size or --silence.")
    }
    guard output.isNumbered || output.hasTitle && by != nil else {
      throw ValidationError("The name needs a place for the number: part-%02d.m4a.")
    }
    if let every, !(every.seconds > 0) { throw ValidationError("--every takes more than 0 seconds.") }
    if !(below < 0) { throw ValidationError("--below takes a level below 0.") }
  }

  func run() throws {
    let source = try MediaInput.movie(path: input)
    var progress = Progress("split")
    let pieces = try MovieSplitter(source).pieces(at: places) { part in
      try progress.update(UInt64(part * 1000), of: 1000, bytes: 0)
    }
    let names = try names(of: pieces)
    var written: [(clip: MovieClip, name: String, duration: MediaTime, bytes: UInt64)] = []
    for (piece, name) in zip(pieces, names) {
      let end = min(piece.clip.end ?? source.duration, source.duration)
      guard !dryRun else {
        written.append((piece.clip, name, end - piece.clip.start, 0))
        continue
      }
      let summary = try MovieEditor(piece.clip, to: name, options: options).run { done, total in
        let part = (Double(written.count) + Double(done) / Double(max(total, 1))) / Double(pieces.count)
        try progress.update(UInt64(part * 1_000_000), of: 1_000_000, bytes: done)
      }
      summary.output.warn(file: name)
      written.append((piece.clip, name, summary.duration, summary.output.bytes))
    }
    progress.clear()
    if movie.json { return try Output.result(result(written), isTaken: false) }
    for piece in written {
      let stretch = "\(Text.clock(piece.duration)) from \(Text.clock(piece.clip.start)) on"
      Messages.line("\(piece.name): \(stretch)" + (dryRun ? "" : ", \(Text.bytes(piece.bytes))"))
    }
  }

  private var places: MovieSplitter.Places {
    if let every { return .every(every.time) }
    if let size { return .size(size.bytes) }
    return silence ? .silence(below: below, seconds: quietFor.seconds) : .chapters
  }

  /// The names of the files: each a movie's, and none twice or that of the input.
  private func names(of pieces: [MovieSplitter.Piece]) throws -> [String] {
    if pieces.count < 2 {
      throw Failure(status: .badData, "\(input): there is no place to divide at; it would be one piece")
    }
    var seen: Set<String> = []
    return try pieces.enumerated().map { index, piece in
      let name = output.name(index + 1, title: piece.title)
      _ = try OutputFile(name, input: input, writing: .split)
      guard seen.insert(name).inserted else {
        throw Failure(status: .usage, "\(name): two pieces would have this name; number them with %02d")
      }
      return name
    }
  }

  private var options: MovieEditor.Options {
    var options = MovieEditor.Options()
    options.layout = movie.layout.movieLayout
    options.mediaTypes = movie.tracks.mediaTypes
    (options.clobber, options.sync) = (!clobber.noClobber, movie.sync)
    return options
  }

  private func result(
    _ written: [(clip: MovieClip, name: String, duration: MediaTime, bytes: UInt64)]
  ) -> JSONObject {
    var object = JSONObject()
    object.add(
      "pieces",
      written.map { piece in
        var entry = JSONObject()
        entry.add("file", piece.name)
        entry.add("start", piece.clip.start.seconds)
        entry.add("duration", piece.duration.seconds)
        if !dryRun { entry.add("bytes", piece.bytes) }
        return entry
      })
    return object
  }
}
