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
    abstract: "Record, play, encode, decode, take apart and put together: AAC and MP4, exactly.",
    discussion: """
      EXAMPLES:
        lyrebird demo                          see it all work, without any file
        lyrebird info movie.mp4                tracks, codecs, tags
        lyrebird extract movie.mp4 sound.aac   the AAC track, as it is
        lyrebird remux movie.mov movie.mp4     a new file, nothing re-encoded
        lyrebird faststart movie.mp4           its index to the front, in place
        lyrebird encode song.wav song.m4a      PCM to AAC
        lyrebird decode song.m4a song.wav      AAC to PCM
        lyrebird record voice.m4a              from a microphone, until Ctrl-C
        lyrebird play song.m4a                 to a loudspeaker

      Results go to standard output, messages to standard error. Exit status: 0 good, 64 usage, 65 bad or unsupported \
      data, 66 no such input, 69 no device or sound server, 73 cannot create the output, 74 reading \
      or writing failed, 130 and 143 stopped by a signal.
      """,
    version: "0.1.0",
    subcommands: [
      DemoCommand.self, InfoCommand.self, PacketsCommand.self, BoxesCommand.self, ExtractCommand.self,
      RemuxCommand.self, FastStartCommand.self, EncodeCommand.self, DecodeCommand.self, RecordCommand.self,
      PlayCommand.self, DevicesCommand.self,
    ])

  /// The command that an argument names.
  private static func named(_ name: String?) -> (any ParsableCommand.Type)? {
    switch name {
    case "demo": DemoCommand.self
    case "info": InfoCommand.self
    case "packets": PacketsCommand.self
    case "boxes": BoxesCommand.self
    case "extract": ExtractCommand.self
    case "remux": RemuxCommand.self
    case "faststart": FastStartCommand.self
    case "encode": EncodeCommand.self
    case "decode": DecodeCommand.self
    case "record": RecordCommand.self
    case "play": PlayCommand.self
    case "devices": DevicesCommand.self
    default: nil
    }
  }

  /// The command that the arguments ask for.
  ///
  /// What is asked rightly of one command is parsed for it alone. All else, help and mistakes included, goes through the
  /// whole family: the parser then makes ready for shell completion first, which takes half a millisecond.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    if let command = try? named(arguments.first)?.parseAsRoot(Array(arguments.dropFirst())) { return command }
    return try parseAsRoot(arguments)
  }

  /// Runs the command; every failure is one line on standard error and a status that says which kind it was.
  static func main() {
    Interrupt.install()
    do {
      var command = try parsed(Array(CommandLine.arguments.dropFirst()))
      try command.run()
    } catch let error as any ExitStatusError {
      Messages.line("lyrebird: \(error.description)")
      leave(error.status)
    } catch {
      exit(withError: error)
    }
  }

  private static func leave(_ status: ExitStatus) -> Never {
    #if canImport(Glibc)
      Glibc.exit(status.rawValue)
    #else
      Musl.exit(status.rawValue)
    #endif
  }
}
