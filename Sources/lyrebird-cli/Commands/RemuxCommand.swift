internal import ArgumentParser
internal import Lyrebird

struct RemuxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remux",
    abstract: "Rewrite a movie without re-encoding; anything that cannot be kept is reported.",
    discussion: """
      Sample data, times, edits, transforms, tags and unknown boxes are kept as they are. The output appears, and \
      replaces an old file of that name, only when it is complete; it may be the input itself.

      EXAMPLES:
        lyrebird remux in.mov out.mp4                       index at the front
        lyrebird remux in.mp4 out.mp4 --layout fragmented   for streaming
        lyrebird remux in.mp4 out.mp4 --layout fragmented --edits times
        lyrebird remux in.mp4 sound.m4a --tracks audio      audio only
        lyrebird remux in.mp4 - | ssh host 'cat > out.mp4'  in one pass
        lyrebird remux cut.mp4 saved.mp4 --recover          keep what is intact
      """)

  @Argument(help: "The movie to read.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file())
  var output: String

  @Option(
    help: ArgumentHelp(
      "Minimum duration of a fragment, up to an hour, with --layout fragmented: seconds or 1:30. (default: 2)",
      valueName: "time"))
  var fragment: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "How delays and trims are stored, with --layout fragmented.",
      discussion: """
        lists keeps edit lists as they are; times puts delays and ends into decode times and durations, for players \
        that ignore edit lists in fragmented files: Chromium's Media Source, ffmpeg.
        """))
  var edits = Edits.lists

  @Flag(help: "Keep what is intact of a damaged movie, and report what was left out.")
  var recover = false

  @OptionGroup var clobber: ClobberOptions

  @OptionGroup var movie: MovieOptions
  @OptionGroup var messages: MessageOptions

  enum Edits: String, ExpressibleByArgument, CaseIterable {
    case lists, times
  }

  func validate() throws {
    if let fragment, !(fragment.seconds > 0 && fragment.seconds <= 3600) {
      throw ValidationError("--fragment must be more than 0 seconds and up to an hour.")
    }
    if fragment != nil, movie.layout != .fragmented {
      throw ValidationError("--fragment needs --layout fragmented.")
    }
    if edits == .times, movie.layout != .fragmented { throw ValidationError("--edits needs --layout fragmented.") }
  }

  func run() throws {
    let file = try OutputFile(output, input: input, writing: .remux, replacesInput: true)
    let source = try MediaInput.movie(path: input)
    var progress = Progress("remux")
    let remuxer =
      file.isStandard
      ? Remuxer(from: source, to: try file.sink(clobber: true), name: file.name, options: options)
      : Remuxer(from: source, to: output, options: options)
    let summary = try remuxer.run { done, total in
      try progress.update(done, of: total, bytes: done)
    }
    progress.clear()
    summary.warn(file: file.name)
    if movie.json {
      var result = JSONObject()
      result.add("layout", movie.layout.rawValue)
      summary.add(to: &result)
      return try Output.result(result, isTaken: file.isStandard)
    }
    let count = Text.count(summary.tracks, "track")
    Messages.line("\(file.name): \(movie.layout.rawValue), \(count), \(Text.bytes(summary.bytes))")
  }

  private var options: Remuxer.Options {
    var options = Remuxer.Options()
    options.layout = movie.layout.movieLayout
    options.fragmentDuration = fragment?.seconds
    options.fragmentEdits = edits == .times ? .times : .lists
    options.tracks = movie.tracks.selection
    options.recover = recover
    options.sync = movie.sync
    options.clobber = !clobber.noClobber
    return options
  }
}
