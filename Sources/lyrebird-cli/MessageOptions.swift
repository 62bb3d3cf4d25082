internal import ArgumentParser

/// What every verb understands that says something on standard error.
struct MessageOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Say nothing on standard error but errors: no progress, results or warnings.")
  var quiet = false

  func validate() {
    Messages.isQuiet = quiet
  }
}
