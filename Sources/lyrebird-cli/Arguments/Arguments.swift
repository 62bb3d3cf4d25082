internal import CLinux

/// The arguments of the command.
enum Arguments {
  /// All arguments after the command's own name.
  ///
  /// - Throws: `Failure` if they are unavailable: continuing as if there were none would do nothing, and call it a
  ///   success.
  static func words() throws(Failure) -> [String] {
    if !CommandLine.arguments.isEmpty { return Array(CommandLine.arguments.dropFirst()) }
    var words: [String] = []
    // The words are C strings that live as long as the process.
    while let word = unsafe lyrebird_word(Int32(words.count)) { unsafe words.append(String(cString: word)) }
    guard !words.isEmpty else {
      throw Failure(status: .usage, "cannot read what the command was called with; mount /proc")
    }
    return Array(words.dropFirst())
  }
}
