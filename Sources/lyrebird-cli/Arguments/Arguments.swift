internal import CLinux

/// The words that the command was called with.
enum Arguments {
  /// All words behind the command's own name.
  ///
  /// - Throws: `Failure` where they cannot be had: to go on as if there were none would do nothing, and call it a success.
  static func words() throws(Failure) -> [String] {
    if !CommandLine.arguments.isEmpty { return Array(CommandLine.arguments.dropFirst()) }
    var words: [String] = []
    while let word = lyrebird_word(Int32(words.count)) { words.append(String(cString: word)) }
    guard !words.isEmpty else {
      throw Failure(status: .usage, "cannot read what the command was called with; mount /proc")
    }
    return Array(words.dropFirst())
  }
}
