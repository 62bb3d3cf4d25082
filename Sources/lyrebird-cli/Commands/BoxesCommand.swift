internal import ArgumentParser
internal import Lyrebird

struct BoxesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "boxes",
    abstract: "Show the boxes of a file as a tree, with their fields.",
    discussion: """
      Each line shows a box's type, its offset and size in the file, and its fields, named as in ISO/IEC 14496-12. \
      Tables show their first rows, boxes of unknown type their first bytes.

      EXAMPLES:
        lyrebird boxes movie.mp4
        lyrebird boxes movie.mp4 --depth 2
        lyrebird boxes movie.mp4 --json | jq 'select(.type == "stsd")'
      """)

  @Argument(help: "The file to read; - for standard input.", completion: .file())
  var file: String

  @Option(help: "How many levels to show, 1 or more. (default: all)")
  var depth: Int?

  @Flag(help: "Print one JSON object per line, parents before children.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if let depth, depth < 1 { throw ValidationError("--depth must be 1 or more.") }
  }

  func run() throws {
    let reader = try PipedMovie.reader(try InputFile.reader(file))
    try InputFile.checkHasBytes(reader)
    let output = Output()
    let printer = BoxTreePrinter(output, maximumLevel: depth ?? .max, isJSON: json)
    var failure: Failure?
    do {
      var offset: UInt64 = 0
      while offset < reader.size {
        try Interrupt.check()
        // A parser for each: its bounds are meant for one movie header, not for hours of fragments.
        var parser = BoxParser(reader, deferring: ["mdat"])
        guard let header = try parser.header(at: offset, limit: reader.size) else {
          failure = Failure(
            status: .badData,
            "\(InputFile.name(file)): no box at byte \(offset); the last \(reader.size - offset) bytes are left out")
          break
        }
        try printer.print(try parser.node(header))
        for issue in parser.issues { Messages.warning("\(file): \(issue)") }
        offset = header.end
      }
    } catch let error as BoxError {
      failure = Failure(error, file: file)
    }
    try output.flush()
    if let failure { throw failure }
  }
}
