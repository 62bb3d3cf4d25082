internal import ArgumentParser
internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#endif

@main
struct LyrebirdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "lyrebird", subcommands: [PacketsCommand.self])

  static func main() {
    do {
      var c = try parseAsRoot()
      try c.run()
    } catch let e as MP4Error {
      Messages.line("lyrebird: \(e)")
      Glibc.exit(65)
    } catch { exit(withError: error) }
  }
}
