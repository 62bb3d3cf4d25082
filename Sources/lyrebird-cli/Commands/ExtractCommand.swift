internal import ArgumentParser
internal import Lyrebird

struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Extract the AAC track of a movie or a LOAS stream, without re-encoding.",
    discussion: """
      Reads movies and LOAS streams. Writes an ADTS stream (.aac): the packets unchanged, each with a seven-byte \
      header. ADTS has no edit lists, so packets that an edit list hides are written too.

      EXAMPLES:
        lyrebird extract movie.mp4 sound.aac
        lyrebird extract movie.mp4 - | ffplay -
        lyrebird extract radio.loas radio.aac
      """)

  @Argument(help: "The movie or LOAS stream to read; - for standard input.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file(extensions: ["aac"]))
  var output: String

  @Option(help: ArgumentHelp("Number of the track. (default: the first audio track)", valueName: "n"))
  var track: UInt32?

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Print the result as JSON, on standard error if the stream goes to standard output.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    try ExtractCommand.extract(input, to: output, track: track, clobber: !noClobber, json: json)
  }

  static func extract(
    _ input: String, to output: String, track number: UInt32? = nil, clobber: Bool = true, json: Bool = false
  ) throws {
    let file = try OutputFile(output, input: input, writing: .extract)
    let track: Track
    let summary: ADTSWriter.Summary
    switch try MediaInput(try InputFile.reader(input, finishesInput: true)) {
    case .movie(let movie):
      movie.reportIssues(file: input)
      track = try movie.chosenAudioTrack(number, file: input)
      summary = try Extraction(movie, track: track, file: input).run(to: try file.sink(clobber: clobber))
    case .stream(let stream):
      guard stream.framing != .adts else {
        throw Failure(status: .badData, "\(InputFile.name(input)): already an ADTS stream; copy it with cp")
      }
      guard number ?? 1 == 1 else {
        throw Failure(
          status: .badData, "\(InputFile.name(input)): no track \(number ?? 0); an AAC stream has only track 1")
      }
      track = stream.track
      summary = try StreamExtraction(stream, file: input).run(to: try file.sink(clobber: clobber))
    case .pcm: throw Failure.hasNoPackets(input)
    }
    if json {
      var object = JSONObject()
      object.add("track", track.id)
      object.add("packets", summary.packets)
      object.add("bytes", summary.bytes)
      try Output.result(object, isTaken: file.isStandard)
    } else {
      let codec = track.descriptions.first?.codecName ?? ""
      Messages.line("\(file.name): \(codec), \(Text.count(summary.packets, "packet")), \(Text.bytes(summary.bytes))")
    }
    try Interrupt.checkFinished(file.name)
  }
}
