internal import ArgumentParser

@main
struct LyrebirdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "lyrebird")
}
