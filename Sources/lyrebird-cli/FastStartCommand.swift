internal import ArgumentParser
internal import Lyrebird

struct FastStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faststart",
    abstract: "Move the index of a movie to its front, in place.",
    discussion: """
      A player can then begin before the whole file is there. On ext4 the media stay where they are on the disk, so it \
      takes milliseconds; elsewhere the movie is written anew and replaces the old one. Whatever happens meanwhile, the \
      file is a whole movie.

      EXAMPLES:
        lyrebird faststart movie.mp4
      """)

  @Argument(help: "The movie to change.", completion: .file())
  var file: String

  func run() throws {
    var progress = Progress("faststart")
    let outcome = try FastStart(path: file).run { done, total in
      try progress.update(done, of: total, bytes: done)
    }
    progress.clear()
    switch outcome {
    case .isInFront: Messages.line("\(file): fast-start already")
    case .moved(let inserted): Messages.line("\(file): fast-start, moved in place, \(Text.bytes(inserted)) inserted")
    case .rewritten: Messages.line("\(file): fast-start, written anew")
    }
  }
}
