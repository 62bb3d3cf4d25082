internal import ArgumentParser
internal import Lyrebird

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Divide a movie into files that follow one another, without re-encoding.",
    discussion: """
      Every frame of audio is in exactly one of the files; a picture that is shown across a division is in both. \
      In the name of the output, %d is the number of the file, counted from 1, %02d the same with two digits, %s the \
      title of the chapter, and %% a percent sign.

      EXAMPLES:
        lyrebird split book.m4b "%02d %s.m4b" --by chapters
        lyrebird split talk.m4a part-%02d.m4a --every 10:00
        lyrebird split film.mp4 part-%d.mp4 --size 24M          none is larger
        lyrebird split tape.m4a song-%02d.m4a --silence         where it is quiet
        lyrebird split tape.m4a song-%02d.m4a --silence --below -40 --quiet-for 2
        lyrebird split talk.m4a part-%d.m4a --every 1:00 --dry-run
      """)

  @Argument(help: "The movie to read.", completion: .file())
  var input: String

  @Argument(help: "The names of the files to write, with %d, %02d or %s: part-%02d.m4a.", completion: .file())
  var output: NamePattern

  @Option(help: "Divide at the start of each chapter.")
  var by: Mark?

  @Option(help: ArgumentHelp("Divide at regular intervals: seconds or 10:00, at least 0.1.", valueName: "time"))
  var every: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "Divide so that no file is larger than this: bytes, or k, M or G (1000, not 1024), such as 24M.",
      valueName: "bytes"))
  var size: ByteCount?

  @Flag(help: "Divide in the middle of each silence.")
  var silence = false

  @Option(help: ArgumentHelp("The shortest silence that counts, in seconds. (default: 1)", valueName: "time"))
  var quietFor: TimeSpan?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The level in dB, relative to full scale, that silence stays below. (default: -50)", valueName: "dB"))
  var below: Double?

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
      throw ValidationError("Say where to divide by one of --by chapters, --every, --size and --silence.")
    }
    guard output.isNumbered || output.hasTitle && by != nil else {
      throw ValidationError(
        "The name of the output needs a number: part-%02d.m4a; or, with --by chapters, a title: %s.")
    }
    if let every, every.seconds < 0.1 { throw ValidationError("--every must be 0.1 seconds or more.") }
    if below != nil || quietFor != nil, !silence { throw ValidationError("--below and --quiet-for need --silence.") }
    if let quietFor, quietFor.seconds <= 0 { throw ValidationError("--quiet-for must be more than 0 seconds.") }
    if let below, !(below < 0) { throw ValidationError("--below must be below 0, such as -40.") }
  }

  func run() throws {
    let source = try MediaInput.movie(path: input)
    var progress = Progress("split")
    let pieces = try MovieSplitter(source, tracks: movie.tracks.selection).pieces(at: places) { part in
      try progress.update(UInt64(part * 1000), of: 1000, bytes: 0)
    }
    let written = try write(pieces, named: try names(of: pieces), until: source.duration, &progress)
    progress.clear()
    if movie.json { return try Output.result(result(written), isTaken: false) }
    try report(written)
  }

  /// Writes each piece, or with `--dry-run` finds out how long it would be.
  private func write(
    _ pieces: [MovieSplitter.Piece], named names: [String], until sourceEnd: MediaTime, _ progress: inout Progress
  ) throws -> [WrittenPiece] {
    var written: [WrittenPiece] = []
    for (piece, name) in zip(pieces, names) {
      try Interrupt.check()
      let end = min(piece.clip.end ?? sourceEnd, sourceEnd)
      guard !dryRun else {
        written.append(WrittenPiece(clip: piece.clip, name: name, duration: end - piece.clip.start, bytes: nil))
        continue
      }
      let summary: MovieEditor.Summary
      do {
        summary = try MovieEditor(piece.clip, to: name, options: options).run { done, total in
          let part = (Double(written.count) + Double(done) / Double(max(total, 1))) / Double(pieces.count)
          try progress.update(UInt64(part * 1_000_000), of: 1_000_000, bytes: done)
        }
      } catch {
        if !Interrupt.endsWork, let last = written.last {
          Messages.warning("wrote \(written.count) of \(pieces.count) files, up to \(last.name)")
        }
        throw error
      }
      summary.output.warn(file: name)
      written.append(
        WrittenPiece(clip: piece.clip, name: name, duration: summary.duration, bytes: summary.output.bytes))
      Interrupt.note(leftBehind: "wrote \(written.count) of \(pieces.count) files, up to \(name)")
    }
    return written
  }

  /// What would be written is a result; what was written is a message.
  private func report(_ written: [WrittenPiece]) throws {
    let output = Output()
    for piece in written {
      let part = "\(Text.clock(piece.duration)) long, from \(Text.clock(piece.clip.start))"
      if let bytes = piece.bytes {
        Messages.line("\(piece.name): \(part), \(Text.bytes(bytes))")
      } else {
        try output.line(Text.printable("\(piece.name): \(part)"))
      }
    }
    try output.flush()
  }

  /// A file that was written, or would be.
  private struct WrittenPiece {
    let clip: MovieClip
    let name: String
    let duration: MediaTime
    /// `nil` if it was not written.
    let bytes: UInt64?
  }

  private var places: MovieSplitter.Places {
    if let every { return .every(every.time) }
    if let size { return .size(size.bytes) }
    return silence ? .silence(below: below ?? -50, seconds: quietFor?.seconds ?? 1) : .chapters
  }

  /// The names of the files: each a movie's, and none twice or that of the input.
  private func names(of pieces: [MovieSplitter.Piece]) throws -> [String] {
    if pieces.count < 2 {
      let hint =
        if silence {
          "raise --below, or shorten --quiet-for"
        } else {
          by != nil ? "it has fewer than two chapters" : "it is no longer or larger than that"
        }
      throw Failure(status: .badData, "\(input): there is no place to divide at; \(hint)")
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
    options.tracks = movie.tracks.selection
    (options.clobber, options.sync) = (!clobber.noClobber, movie.sync)
    return options
  }

  private func result(_ written: [WrittenPiece]) -> JSONObject {
    var object = JSONObject()
    object.add(
      "pieces",
      written.map { piece in
        var entry = JSONObject()
        entry.add("file", piece.name)
        entry.add("start", piece.clip.start.seconds)
        entry.add("duration", piece.duration.seconds)
        if let bytes = piece.bytes { entry.add("bytes", bytes) }
        return entry
      })
    return object
  }
}
