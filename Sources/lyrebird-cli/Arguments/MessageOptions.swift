internal import ArgumentParser

/// The options of every verb that writes messages to standard error.
struct MessageOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Print only errors: no progress, messages or warnings.")
  var quiet = false

  func validate() {
    Messages.isQuiet = quiet
  }
}
