internal import ArgumentParser

/// What every verb understands that says something on standard error.
struct MessageOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Print only errors on standard error: no progress, messages or warnings.")
  var quiet = false

  func validate() {
    Messages.isQuiet = quiet
  }
}
