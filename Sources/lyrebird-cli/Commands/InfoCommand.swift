internal import ArgumentParser
internal import Lyrebird

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Describe a file: container, tracks, codecs, durations, edits, tags.",
    discussion: """
      Reads MP4, MOV, M4A, 3GP, ADTS (.aac), LOAS, and PCM in WAVE, AIFF and CAF.

      EXAMPLES:
        lyrebird info movie.mp4
        lyrebird info movie.mp4 --json | jq '.tracks[].codec_string'
      """)

  @Argument(help: "The file to read; - for standard input.", completion: .file())
  var file: String

  @Flag(help: "Print one JSON object, described in docs/json.md.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    try InfoCommand.describe(file, json: json)
  }

  static func describe(_ file: String, json: Bool = false) throws {
    let description = try description(of: file)
    let output = Output()
    if json {
      try output.line(description.json.text)
    } else {
      for line in description.text { try output.line(line) }
    }
    try output.flush()
    if let defect = description.defect { throw defect }
    try Interrupt.checkFinished("the description")
  }

  /// Opens a file of any kind and describes it.
  static func description(of file: String) throws -> FileDescription {
    let source = try InputFile.reader(file, finishesInput: true)
    do {
      switch try MediaInput(source) {
      case .movie(let movie):
        movie.reportIssues(file: file)
        return FileDescription(movie, file: file)
      case .stream(let stream): return try FileDescription(stream, file: file)
      case .pcm(let pcm): return try FileDescription(pcm, file: file, size: source.size)
      }
    } catch let error as PCMFileError {
      throw Failure(error, file: file)
    }
  }
}
