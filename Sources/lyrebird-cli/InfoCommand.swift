internal import ArgumentParser
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "info"); func run() throws {}
}
struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "extract"); func run() throws {}
}
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo"); func run() throws {}
}
