internal import ArgumentParser

/// What every verb understands that says something on standard error.
struct MessageOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Print only errors: no progress, messages or warnings.")
  var quiet = false

  func validate() {
    Messages.isQuiet = quiet
  }
}
