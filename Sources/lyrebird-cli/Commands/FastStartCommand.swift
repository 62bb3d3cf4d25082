internal import ArgumentParser
internal import Lyrebird

struct FastStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faststart",
    abstract: "Move the index of a movie to its front, in place.",
    discussion: """
      Players can then start before the whole file has arrived. On ext4 the media data stays where it is on the \
      disk, so this takes milliseconds; elsewhere a new file is written and replaces the old one. Even if it is \
      interrupted, the file is a complete movie. A movie that another lyrebird is playing, reading or changing is \
      refused.

      EXAMPLES:
        lyrebird faststart movie.mp4
        lyrebird faststart movie.mp4 --json | jq -r .outcome
      """)

  @Argument(help: "The movie to change.", completion: .file())
  var file: String

  @Flag(help: "Print the result as JSON.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    try OutputFile.checkIsFile(file, what: "the index of a movie can only be moved")
    try MediaInput.checkMayBeMovie(path: file)
    var progress = Progress("faststart")
    let outcome = try FastStart(path: file).run { done, total in
      try progress.update(done, of: total, bytes: done)
    }
    progress.clear()
    if json { return try Output.result(FastStartCommand.json(outcome, file: file)) }
    switch outcome {
    case .alreadyInFront: Messages.line("\(file): already fast-start")
    case .moved(let inserted): Messages.line("\(file): fast-start, moved in place, \(Text.bytes(inserted)) inserted")
    case .rewritten: Messages.line("\(file): fast-start, file rewritten")
    }
  }

  private static func json(_ outcome: FastStart.Outcome, file: String) -> JSONObject {
    var object = JSONObject()
    object.add("file", file)
    switch outcome {
    case .alreadyInFront: object.add("outcome", "in_front_already")
    case .moved(let inserted):
      object.add("outcome", "moved")
      object.add("inserted_bytes", inserted)
    case .rewritten: object.add("outcome", "rewritten")
    }
    return object
  }
}
