internal import ArgumentParser
internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

@main
struct LyrebirdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lyrebird",
    abstract: "Record, play, encode, decode, inspect, edit and repair AAC and MP4.",
    discussion: """
      EXAMPLES:
        lyrebird demo                          see it all work; needs no files
        lyrebird info movie.mp4                show tracks, codecs, tags
        lyrebird extract movie.mp4 sound.aac   copy the AAC track
        lyrebird remux movie.mp4 web.mp4       rewrite it without re-encoding
        lyrebird cut movie.mp4 part.mp4 --from 1:30 --to 2:00   keep 30 seconds
        lyrebird join a.m4a b.m4a both.m4a     one after the other, without a gap
        lyrebird split book.m4b part-%02d.m4b --by chapters   a file for each chapter
        lyrebird chapters book.m4b             show the chapters, or replace them
        lyrebird tag song.m4a --title Dawn     change its tags, in place
        lyrebird faststart movie.mp4           move the index to the front, in place
        lyrebird repair broken.m4a saved.m4a   save a recording without an index
        lyrebird encode song.wav song.m4a      encode PCM as AAC
        lyrebird decode song.m4a song.wav      decode to PCM
        lyrebird record voice.m4a              record from a microphone, until Ctrl-C
        lyrebird play song.m4a                 play it
        lyrebird play song.m4a --from 1:30     play from a minute and a half in
        lyrebird loudness song.m4a             measure it, and its peaks
        lyrebird waveform song.m4a song.svg    draw it

      SHELL COMPLETION:
        lyrebird --generate-completion-script bash \\
          > ~/.local/share/bash-completion/completions/lyrebird
        lyrebird --generate-completion-script zsh \\
          > ~/.local/share/zsh/site-functions/_lyrebird    (with its folder in fpath)
        lyrebird --generate-completion-script fish \\
          > ~/.config/fish/completions/lyrebird.fish

      Each command has its own examples: lyrebird help COMMAND. --json prints the result as JSON; --quiet leaves out \
      progress, messages and warnings.

      Results go to standard output, messages to standard error. Exit status: 0 success, 64 usage error, 65 bad or \
      unsupported data, 66 no such input, 69 no device or sound server, 73 cannot create the output, 74 read or write \
      error; 129, 130 and 143 stopped by SIGHUP, Ctrl-C or SIGTERM. A recording ended by Ctrl-C is a success.
      """,
    version: "0.1.0",
    subcommands: [
      DemoCommand.self, InfoCommand.self, PacketsCommand.self, BoxesCommand.self, ExtractCommand.self,
      RemuxCommand.self, CutCommand.self, JoinCommand.self, SplitCommand.self, ChaptersCommand.self,
      TagCommand.self, FastStartCommand.self, RepairCommand.self, EncodeCommand.self, DecodeCommand.self,
      RecordCommand.self, PlayCommand.self, DevicesCommand.self, LoudnessCommand.self, WaveformCommand.self,
    ])

  /// Runs the command; every failure is one line on standard error and an exit status for its kind.
  static func main() {
    StandardDescriptors.occupy()
    Interrupt.install()
    do {
      // A signal that only ends the input still ends a wait for the reader of the output.
      try Cancellation.watched(by: { Interrupt.endsWork }, waiting: { Interrupt.status != nil }) {
        try run(try Arguments.words())
      }
    } catch let error as Failure {
      leave(error)
    } catch let error as any MediaError {
      leave(Failure(error))
    } catch {
      leave(withParserError: error)
    }
  }

  private static func run(_ arguments: [String]) throws {
    if try runPlain(arguments) { return }
    try checkVerb(arguments.first == "help" ? arguments.dropFirst().first : arguments.first)
    var command = try parseAsRoot(arguments)
    try command.run()
  }

  /// Suggests the verb that an unknown word may have been meant for: the parser would just call it unexpected.
  private static func checkVerb(_ word: String?) throws(Failure) {
    guard let word, !word.hasPrefix("-"), word != "help" else { return }
    let verbs = configuration.subcommands.compactMap { $0.configuration.commandName }
    if verbs.contains(word) { return }
    let name = Text.printable(word, onOneLine: true)
    let hint =
      if let verb = Suggestion.nearest(to: word, among: verbs) {
        "did you mean `lyrebird \(verb)`?"
      } else if EditableFile.exists(word) {
        "did you mean `lyrebird info \(Text.shellWord(name))`?"
      } else {
        "`lyrebird --help` lists the commands"
      }
    throw Failure(status: .usage, "there is no command '\(name)'; \(hint)")
  }

  /// Runs commands without anything to parse: the parser would take a quarter of the time of describing a file, and a
  /// megabyte.
  ///
  /// - Returns: whether it was one.
  private static func runPlain(_ arguments: [String]) throws -> Bool {
    let paths = arguments.dropFirst()
    if paths.contains(where: { $0.hasPrefix("-") }) { return false }
    switch (arguments.first, paths.count) {
    case ("info", 1): try InfoCommand.describe(arguments[1])
    case ("extract", 2): try ExtractCommand.extract(arguments[1], to: arguments[2])
    default: return false
    }
    return true
  }

  private static func leave(_ failure: Failure) -> Never {
    var failure = failure
    if [.badData, .noInput].contains(failure.status), let cutOff = Interrupt.cutOff { failure = cutOff }
    Messages.error(failure.description)
    leave(failure.status.rawValue)
  }

  /// Prints the argument parser's message as the parser would, but with the arguments it repeats made safe to print;
  /// `--help` and `--version` also end here, and fail if they cannot be printed.
  private static func leave(withParserError error: any Error) -> Never {
    let status = exitCode(for: error).rawValue
    var message = fullMessage(for: error)
    if message.isEmpty { leave(status) }
    if status == ExitStatus.success.rawValue {
      let output = Output()
      do {
        try output.line(message)
        try output.flush()
      } catch {
        leave(Failure(error))
      }
      leave(status)
    }
    for argument in CommandLine.arguments {
      let safe = Text.printable(argument)
      if safe != argument { message = message.replacing(argument, with: safe) }
    }
    Terminal.writeError(message + "\n")
    leave(status)
  }

  private static func leave(_ status: Int32) -> Never {
    #if canImport(Glibc)
      Glibc.exit(status)
    #else
      Musl.exit(status)
    #endif
  }
}
