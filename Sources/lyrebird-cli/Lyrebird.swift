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

  /// Whether an argument asks about the whole family of commands; all else is between a command and its own options.
  private static func isQuestion(_ argument: String) -> Bool {
    argument == "-h" || argument == "--help" || argument == "--version"
  }

  /// The command to parse for: the one that the first argument names, unless there is more to say about all of them.
  ///
  /// A command can be parsed for through its family as well, but that costs a millisecond more than all of `info` on
  /// a small file: the parser makes ready for shell completion each time.
  private static func root(for arguments: ArraySlice<String>) -> any ParsableCommand.Type {
    guard !arguments.contains(where: isQuestion) else { return LyrebirdCommand.self }
    switch arguments.first {
    case "demo": return DemoCommand.self
    case "info": return InfoCommand.self
    case "packets": return PacketsCommand.self
    case "boxes": return BoxesCommand.self
    case "extract": return ExtractCommand.self
    case "remux": return RemuxCommand.self
    case "faststart": return FastStartCommand.self
    case "encode": return EncodeCommand.self
    case "decode": return DecodeCommand.self
    case "record": return RecordCommand.self
    case "play": return PlayCommand.self
    case "devices": return DevicesCommand.self
    default: return LyrebirdCommand.self
    }
  }

  /// Runs the command; every failure is one line on standard error and a status that says which kind it was.
  static func main() {
    Interrupt.install()
    let arguments = CommandLine.arguments.dropFirst()
    let root = root(for: arguments)
    do {
      var command = try root.parseAsRoot(Array(root == LyrebirdCommand.self ? arguments : arguments.dropFirst()))
      try command.run()
    } catch let error as any ExitStatusError {
      Messages.line("lyrebird: \(error.description)")
      leave(error.status)
    } catch {
      root.exit(withError: error)
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
