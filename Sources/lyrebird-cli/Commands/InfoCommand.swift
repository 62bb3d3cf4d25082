internal import ArgumentParser
internal import Lyrebird

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Describe a file: container, tracks, codecs, durations, edits, tags.",
    discussion: """
      Reads MP4, MOV, M4A, 3GP, ADTS (.aac) and LOAS.

      EXAMPLES:
        lyrebird info movie.mp4
        lyrebird info movie.mp4 --json | jq '.tracks[].codec_string'
      """)

  @Argument(help: "The file to read.", completion: .file())
  var file: String

  @Flag(help: "Print one JSON object, described in docs/json.md.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    try InfoCommand.describe(file, json: json)
  }

  static func describe(_ file: String, json: Bool = false) throws {
    let description: FileDescription
    switch try MediaInput(path: file) {
    case .movie(let movie):
      movie.reportIssues(file: file)
      description = FileDescription(movie, file: file)
    case .stream(let stream):
      description = try FileDescription(stream, file: file)
    }
    let output = Output()
    if json {
      try output.line(description.json.text)
    } else {
      for line in description.text { try output.line(line) }
    }
    try output.flush()
    if let defect = description.defect { throw defect }
  }
}
