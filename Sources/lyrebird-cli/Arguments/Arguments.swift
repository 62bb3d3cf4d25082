internal import CLinux

/// The arguments of the command.
enum Arguments {
  /// All arguments after the command's own name.
  ///
  /// - Throws: `Failure` if they are unavailable: continuing as if there were none would do nothing, and call it a
  ///   success. Also if one of them is not UTF-8: Swift would repair it, and the name of another file would result.
  static func words() throws(Failure) -> [String] {
    var words: [String] = []
    // The words are C strings that live as long as the process.
    while let word = unsafe lyrebird_word(Int32(words.count)) {
      guard let text = unsafe String(validatingCString: word) else {
        throw notUnicode(unsafe String(cString: word))
      }
      words.append(text)
    }
    if words.isEmpty {
      words = CommandLine.arguments
      if let word = words.first(where: { $0.contains("\u{FFFD}") }) { throw notUnicode(word) }
    }
    guard !words.isEmpty else {
      throw Failure(status: .inputOutput, "cannot read the command line; mount /proc")
    }
    return Array(words.dropFirst())
  }

  private static func notUnicode(_ word: String) -> Failure {
    Failure(
      status: .usage,
      "\(word): this argument is not valid UTF-8; write it in UTF-8; a file can be renamed, or redirected to -")
  }
}
