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
        lyrebird remux in.mp4 sound.m4a --tracks audio      audio only
        lyrebird remux in.mp4 - | ssh host 'cat > out.mp4'  in one pass
        lyrebird remux cut.mp4 saved.mp4 --recover          keep what is intact
      """)

  @Argument(help: "The movie to read.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file())
  var output: String

  @Option(help: "Where the index goes.")
  var layout = Layout.fastStart

  @Option(help: "Minimum duration of a fragment, with --layout fragmented: seconds or 1:30. (default: 2)")
  var fragment: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "How delays and trims are stored, with --layout fragmented.",
      discussion: """
        lists keeps edit lists as they are; times puts delays and ends into decode times and durations, for players \
        that ignore edit lists in fragmented files: Chromium's Media Source, ffmpeg.
        """))
  var edits = Edits.lists

  @Option(help: "Which tracks to keep.")
  var tracks = Tracks.all

  @Flag(help: "Keep what is intact of a damaged movie, and report what was left out.")
  var recover = false

  @Flag(help: "Sync a new file to the disk, too; a replaced file always is.")
  var sync = false

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  @OptionGroup var messages: MessageOptions

  enum Layout: String, ExpressibleByArgument, CaseIterable {
    case fastStart = "fast-start"
    case moovLast = "moov-last"
    case fragmented
  }

  enum Edits: String, ExpressibleByArgument, CaseIterable {
    case lists, times
  }

  enum Tracks: String, ExpressibleByArgument, CaseIterable {
    case audio, video, all

    /// The kinds of tracks; `nil` for all.
    var mediaTypes: MediaType? {
      switch self {
      case .audio: .audio
      case .video: .video
      case .all: nil
      }
    }
  }

  func validate() throws {
    if let fragment, !(fragment.seconds > 0 && fragment.seconds <= 3600) {
      throw ValidationError("--fragment takes more than 0 seconds, and up to an hour.")
    }
    if fragment != nil, layout != .fragmented { throw ValidationError("--fragment goes with --layout fragmented.") }
    if edits == .times, layout != .fragmented { throw ValidationError("--edits goes with --layout fragmented.") }
  }

  func run() throws {
    let file = try OutputFile(output, input: input, writing: .remux, replacesInput: true)
    let movie = try MediaInput.movie(path: input)
    var progress = Progress("remux")
    let remuxer =
      file.isStandard
      ? Remuxer(from: movie, to: try file.sink(clobber: true), name: file.name, options: options)
      : Remuxer(from: movie, to: output, options: options)
    let summary = try remuxer.run { done, total in
      try progress.update(done, of: total, bytes: done)
    }
    progress.clear()
    for error in summary.dropped { Messages.warning("left out what follows: \(error)") }
    for (type, number) in summary.leftOut.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      Messages.warning("left out \(number) \(type): such boxes belong to the fragments of the input")
    }
    for place in summary.staleOffsets {
      Messages.warning(
        "\(file.name): \(place.name) names byte \(place.offset) of the input, where nothing is that was carried over")
    }
    for retiming in summary.retimed { Messages.warning("\(file.name): \(retiming)") }
    if json { return try Output.result(result(summary), isTaken: file.isStandard) }
    let count = summary.tracks == 1 ? "1 track" : "\(summary.tracks) tracks"
    Messages.line("\(file.name): \(layout.rawValue), \(count), \(Text.bytes(summary.bytes))")
  }

  private func result(_ summary: Remuxer.Summary) -> JSONObject {
    var object = JSONObject()
    object.add("layout", layout.rawValue)
    object.add("tracks", summary.tracks)
    object.add("bytes", summary.bytes)
    object.add("dropped", summary.dropped.map { "\($0)" })
    object.add("retimed", summary.retimed.map { "\($0)" })
    var leftOut = JSONObject()
    for (type, number) in summary.leftOut.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      leftOut.add(type.description, number)
    }
    object.add("left_out", leftOut)
    return object
  }

  private var options: Remuxer.Options {
    var options = Remuxer.Options()
    options.layout = MovieLayout(rawValue: layout.rawValue) ?? .fastStart
    options.fragmentDuration = fragment?.seconds
    options.fragmentEdits = edits == .times ? .times : .lists
    options.mediaTypes = tracks.mediaTypes
    options.recover = recover
    options.sync = sync
    options.clobber = !noClobber
    return options
  }
}
