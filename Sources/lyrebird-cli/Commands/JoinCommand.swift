internal import ArgumentParser
internal import Lyrebird

struct JoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Join movies one after another, without a gap or a click.",
    usage: "lyrebird join <part> <part> ... <output> [<options>]",
    discussion: """
      Tracks are joined by kind and order. Pictures, subtitles, metadata, Apple Lossless and PCM are kept byte for \
      byte. AAC is re-encoded only at the seams, and throughout parts whose packets of 1024 frames do not line up \
      with the others. The output is as long as its parts together, to the frame.

      The last name is the output. A file of that name is not replaced unless --replace is given: it may be a part.

      EXAMPLES:
        lyrebird join intro.m4a talk.m4a outro.m4a podcast.m4a
        lyrebird join chapter-*.m4a book.m4b --chapters   one chapter per file
        lyrebird join a.mp4 b.mp4 film.mp4 --layout moov-last
        lyrebird join a.mp4 b.mp4 sound.m4a --tracks audio
        lyrebird join a.m4a b.m4a both.m4a --no-encode    edit lists instead
      """)

  @Argument(help: "Two or more movies, and then the file to write; - for standard output.", completion: .file())
  var files: [String]

  @Flag(help: "Make a chapter of each part, named by its title tag or its file.")
  var chapters = false

  @Flag(help: "Keep all packets of AAC, and hide the gaps between parts with edit lists, which many players ignore.")
  var noEncode = false

  @Flag(help: "Join parts even if they differ in codec, size or rate, or lack tracks; some players cannot play that.")
  var force = false

  @Flag(help: "Replace the output if it exists.")
  var replace = false

  @OptionGroup var movie: MovieOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if files.count < 3 { throw ValidationError("Name two parts or more, and the output.") }
  }

  func run() throws {
    let (inputs, output) = (files.dropLast(), files[files.count - 1])
    let file = try OutputFile(output, input: files[0], writing: .join)
    for input in inputs.dropFirst() { try OutputFile.check(file.isStandard ? nil : output, isNot: input) }
    if !replace, !file.isStandard, EditableFile.exists(output) {
      throw JoinCommand.exists(output)
    }
    let parts = try inputs.map { try MediaInput.movie(path: $0) }
    var options = options
    if chapters { options.chapterTitles = zip(parts, inputs).map { $0.metadata["title"] ?? JoinCommand.name(of: $1) } }
    let joiner =
      file.isStandard
      ? MovieJoiner(parts, to: try file.sink(clobber: true), name: file.name, options: options)
      : MovieJoiner(parts, to: output, options: options)
    var progress = Progress("join")
    let summary: MovieJoiner.Summary
    do {
      summary = try joiner.run { part, bytes in try progress.update(UInt64(part * 1000), of: 1000, bytes: bytes) }
    } catch let error as JoinError where (error.root as? SinkError)?.code == .exists {
      throw JoinCommand.exists(output)
    }
    progress.clear()
    warn(summary, file: file.name)
    if movie.json { return try Output.result(result(summary), isTaken: file.isStandard) }
    let length = Text.clock(summary.output.duration)
    Messages.line(
      "\(file.name): \(Text.count(parts.count, "part")), \(length), \(Text.count(summary.tracks, "track")), "
        + Text.bytes(summary.output.bytes) + JoinCommand.packets(summary))
  }

  private static func exists(_ output: String) -> Failure {
    Failure(status: .cannotCreate, "\(output): already exists; name the output last, or replace it with --replace")
  }

  /// How many packets were encoded anew.
  private static func packets(_ summary: MovieJoiner.Summary) -> String {
    guard summary.encodedPackets > 0 else { return "" }
    let all = summary.encodedPackets + summary.keptPackets
    return ", \(summary.encodedPackets) of \(all) packets of AAC re-encoded"
  }

  private func warn(_ summary: MovieJoiner.Summary, file: String) {
    if summary.leftOutTracks > 0 {
      let count = Text.count(summary.leftOutTracks, "track")
      Messages.warning(
        "\(file): left out \(count) that the first part does not have, or that cannot be joined")
    }
    for track in summary.tracksWithEdits {
      Messages.warning(
        "\(file): track \(track): its parts are joined by an edit list; many players apply only its first entry")
    }
    for track in summary.tracksWithOpenSeams {
      Messages.warning(
        "\(file): track \(track): a part begins in an open group of pictures, with a key frame that is not an IDR "
          + "picture; players may show wrong pictures until the next IDR picture")
    }
    for retiming in summary.output.retimed { Messages.warning("\(file): \(retiming)") }
  }

  private var options: MovieJoiner.Options {
    var options = MovieJoiner.Options()
    options.layout = movie.layout.movieLayout
    options.tracks = movie.tracks.selection
    options.encodesSeams = !noEncode
    options.joinsUnlike = force
    (options.clobber, options.sync) = (replace, movie.sync)
    return options
  }

  /// The name of a file without its folder and its ending.
  private static func name(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return name }
    return String(name[..<point])
  }

  private func result(_ summary: MovieJoiner.Summary) -> JSONObject {
    var object = JSONObject()
    object.add("layout", movie.layout.rawValue)
    object.add(
      "parts",
      zip(files, summary.starts).map { file, start in
        var part = JSONObject()
        part.add("file", file)
        part.add("start", start.seconds)
        return part
      })
    object.add("duration", summary.output.duration.seconds)
    object.add("tracks", summary.tracks)
    object.add("bytes", summary.output.bytes)
    object.add("kept_packets", summary.keptPackets)
    object.add("encoded_packets", summary.encodedPackets)
    object.add("tracks_with_edits", numbers: summary.tracksWithEdits.map { Int64($0) })
    object.add("tracks_with_open_seams", numbers: summary.tracksWithOpenSeams.map { Int64($0) })
    object.add("left_out_tracks", summary.leftOutTracks)
    object.add("retimed", summary.output.retimed.map { "\($0)" })
    return object
  }
}
