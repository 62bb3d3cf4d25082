internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The output of a verb: checked before anything is read or written, then opened.
struct OutputFile {
  /// The name used in messages.
  let name: String
  /// Whether it is standard output.
  let isStandard: Bool
  private let path: String

  /// Checks an output.
  ///
  /// - Parameters:
  ///   - path: as given; `-` for standard output.
  ///   - input: the path that is read.
  ///   - kinds: the kinds of files that the verb writes.
  ///   - replacesInput: whether the output may be the input, which is then kept until the output is whole.
  /// - Throws: `Failure` with status 64: the output is the input, its name means another kind of file, or it is a
  ///   terminal.
  init(_ path: String, input: String, writing kinds: OutputKinds, replacesInput: Bool = false) throws(Failure) {
    try OutputFile.checkIsNamed(path)
    self.path = path
    isStandard = OutputFile.isStandardOutput(path)
    name = isStandard ? "standard output" : path
    if isStandard, isatty(STDOUT_FILENO) == 1 {
      throw Failure(
        status: .usage,
        "standard output is a terminal, which cannot show \(kinds.verb)'s output; name a file, or use a pipe"
      )
    }
    if !replacesInput || isStandard { try OutputFile.check(isStandard ? nil : path, isNot: input) }
    if !isStandard { try kinds.check(path) }
    Interrupt.note(leftBehind: isStandard ? Interrupt.incompleteOutput : "no output was left behind")
  }

  /// - Throws: `Failure` for an empty name, as a script gives whose variable is not set.
  static func checkIsNamed(_ path: String) throws(Failure) {
    if path.isEmpty { throw Failure(status: .usage, "'': the name of the output is empty") }
  }

  /// Whether a path means standard output: `-`, or one of the names that Linux has for it.
  static func isStandardOutput(_ path: String) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }

  /// Checks the name of a file that is to be changed in place.
  ///
  /// - Throws: `Failure` with status 64 if it means standard input.
  static func checkIsFile(_ path: String, what: String) throws(Failure) {
    if InputFile.isStandardInput(path) {
      throw Failure(status: .usage, "\(what) in a file, not in a pipe; give its name")
    }
  }

  /// Checks that an output is not the input.
  ///
  /// - Parameters:
  ///   - output: a path; `nil` for standard output.
  ///   - input: a path.
  ///   - role: what the input is for.
  /// - Throws: `Failure` with status 64.
  static func check(_ output: String?, isNot input: String, role: String = "the input") throws(Failure) {
    guard isSame(input, output) else { return }
    throw Failure(
      status: .usage,
      "\(output ?? "standard output"): is also \(role), and would be destroyed; give the output another name")
  }

  /// Whether the input is the output, which only counts for files: a terminal is often both.
  private static func isSame(_ input: String, _ output: String?) -> Bool {
    let source =
      InputFile.isStandardInput(input) ? FileIdentity(descriptor: STDIN_FILENO) : FileIdentity(path: input)
    let target = output.map { FileIdentity(path: $0) } ?? FileIdentity(descriptor: STDOUT_FILENO)
    guard let source, let target, source.isRegular else { return false }
    return source.isSame(as: target)
  }

  /// Opens the output.
  func sink(clobber: Bool) throws(SinkError) -> FileSink {
    guard isStandard else { return try FileSink(path: path, clobber: clobber) }
    StandardDescriptors.endWithReader()
    return FileSink(standardOutput: name)
  }
}
