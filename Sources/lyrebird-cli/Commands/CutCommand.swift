internal import ArgumentParser
internal import Lyrebird

struct CutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Keep one part of a movie, exact to the frame, without re-encoding.",
    discussion: """
      Audio and video are cut to the frame. Samples from before the cut that a decoder needs stay in the file, hidden \
      by an edit list, which players apply. Samples are kept byte for byte; tags stay, chapters and subtitles are cut \
      with the rest. The output may be the input itself.

      A place is a time (12.5 or 1:02:03.25), the number of a video frame (#1234, counted from #0), or of an audio \
      frame if there is no video, or the title of a chapter: --from takes its beginning, --to its end.

      EXAMPLES:
        lyrebird cut talk.m4a part.m4a --from 1:30 --to 2:45.5
        lyrebird cut film.mp4 scene.mp4 --from 12:00 --at-keyframes
        lyrebird cut book.m4b one.m4b --from "Chapter 1" --to "Chapter 1"
        lyrebird cut clip.mp4 tail.mp4 --from '#100'     drop the first 100 frames
        lyrebird cut clip.mp4 - --to 10 --layout fragmented | player
      """)

  @Argument(help: "The movie to read.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file())
  var output: String

  @Option(
    help: ArgumentHelp("Where to begin: a time, #FRAME or a chapter. (default: the beginning)", valueName: "place"))
  var from: Moment?

  @Option(
    help: ArgumentHelp("Where to end, exclusive: a time, #FRAME or a chapter. (default: the end)", valueName: "place"))
  var to: Moment?

  @Flag(help: "Begin earlier, at a keyframe, so that nothing has to be hidden.")
  var atKeyframes = false

  @OptionGroup var clobber: ClobberOptions

  @OptionGroup var movie: MovieOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if from == nil, to == nil { throw ValidationError("Say what to keep: --from, --to, or both.") }
  }

  func run() throws {
    let file = try OutputFile(output, input: input, writing: .cut, replacesInput: true)
    let clip = try clip(of: try MediaInput.movie(path: input))
    var progress = Progress("cut")
    let editor =
      file.isStandard
      ? MovieEditor(clip, to: try file.sink(clobber: true), name: file.name, options: options)
      : MovieEditor(clip, to: output, options: options)
    let summary = try editor.run { done, total in try progress.update(done, of: total, bytes: done) }
    progress.clear()
    summary.output.warn(file: file.name)
    if movie.json { return try Output.result(result(summary), isTaken: file.isStandard) }
    let part = "\(Text.clock(summary.duration)) long, from \(Text.clock(summary.start))"
    let count = Text.count(summary.output.tracks, "track")
    Messages.line("\(file.name): \(part), \(count), \(Text.bytes(summary.output.bytes))")
  }

  private func clip(of movie: MP4Demuxer) throws -> MovieClip {
    let start = try from?.time(in: movie, isEnd: false, file: input) ?? .zero
    let end = try to?.time(in: movie, isEnd: true, file: input)
    if start >= movie.duration, movie.duration > .zero {
      throw Failure.beyondEnd(input, seconds: movie.duration.seconds)
    }
    if let end, end <= start { throw Failure.endsBeforeStart }
    return MovieClip(movie, from: start, to: end)
  }

  private var options: MovieEditor.Options {
    var options = MovieEditor.Options()
    options.layout = movie.layout.movieLayout
    options.tracks = movie.tracks.selection
    options.startsAtKeyframe = atKeyframes
    options.sync = movie.sync
    options.clobber = !clobber.noClobber
    return options
  }

  private func result(_ summary: MovieEditor.Summary) -> JSONObject {
    var object = JSONObject()
    object.add("layout", movie.layout.rawValue)
    object.add("start", summary.start.seconds)
    object.add("duration", summary.duration.seconds)
    summary.output.add(to: &object)
    return object
  }
}
