internal import ArgumentParser

/// The options of every verb that writes messages to standard error.
struct MessageOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Print no progress, messages or warnings; only results and errors.")
  var quiet = false

  func validate() {
    Messages.isQuiet = quiet
  }
}
